// ProcessesOf(): programs in one profile that each mark iterations of their own.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/context/marker_names.h"
#include "analysis/context/observed.h"
#include "analysis/time/run_iterations.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::time {
namespace {

// The row that marks the first iteration. Nothing in a profile that nothing marks, or whose first
// iteration begins where no row does, as derived ones may.
std::optional<std::size_t> FirstMark(const context::RankContext& rank) {
  const HostTable& host = rank.profile->host;
  if (rank.iterations.all.empty() || !IsMarked(rank)) return std::nullopt;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const bool starts = host.start[row] == rank.iterations.all.front().host.start;
    if (starts && host.thread[row].valid()) return row;
  }
  return std::nullopt;
}

// How far the marks of a process are apart.
struct Pace {
  Ns begin = std::numeric_limits<Ns>::max(), end = std::numeric_limits<Ns>::min();
  std::int64_t marks = 0;
  // Mean time from mark to mark, the last one's length included.
  double OfOne() const { return static_cast<double>(end - begin) / static_cast<double>(marks); }
};

// Paces of the processes that mark iterations, or of their threads that launch work themselves,
// such as the workers of a server.
using Paces = std::map<std::pair<std::string_view, ThreadId>, Pace>;

// Whether a name is of a family of markers, asked once for each name.
class IsOfFamily {
 public:
  IsOfFamily(const Profile& profile, StringId like)
      : profile_(profile), family_(FamilyOf(like)), known_(profile.strings.size()) {}
  bool operator()(StringId name) {
    if (!name.valid()) return false;
    std::optional<bool>& known = known_[name.value];
    if (!known) known = FamilyOf(name) == family_;
    return *known;
  }

 private:
  std::string FamilyOf(StringId name) const {
    return context::NameOfMarker(profile_.Name(name)).family;
  }
  const Profile& profile_;
  std::string family_;
  std::vector<std::optional<bool>> known_;
};

// Paces of markers like that of row `like`: of its kind and family.
Paces PacesOf(const Profile& profile, std::size_t like) {
  const HostTable& host = profile.host;
  IsOfFamily is_alike(profile, host.name[like]);
  const std::vector<bool> launches = context::LaunchingThreads(profile);
  Paces paces;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const ThreadId thread = host.thread[row];
    if (host.kind[row] != host.kind[like] || !thread.valid()) continue;
    if (!is_alike(host.name[row])) continue;
    const ThreadId own = launches[thread.value] ? thread : ThreadId{};
    Pace& pace = paces[{profile.threads[thread.value].process, own}];
    pace.begin = std::min(pace.begin, host.start[row]);
    pace.end = std::max(pace.end, host.start[row] + host.duration[row]);
    ++pace.marks;
  }
  // Other threads of a launching thread's process mark the data that they prepare for it.
  std::set<std::string_view> launching;
  for (const auto& [name, pace] : paces) {
    if (name.second.valid()) launching.insert(name.first);
  }
  std::erase_if(paces, [&](const auto& each) {
    return !each.first.second.valid() && launching.contains(each.first.first);
  });
  return paces;
}

}  // namespace

// `slower` compares paces with that of the thread whose marks are the iterations; 1 where that is
// unknown. Ranks of one program keep one pace; a server's workers need not.
MarkingProcesses ProcessesOf(const context::RankContext& rank) {
  const Profile& profile = *rank.profile;
  MarkingProcesses processes;
  const std::optional<std::size_t> first = FirstMark(rank);
  if (!first) return processes;
  const Paces paces = PacesOf(profile, *first);
  processes.count = static_cast<std::int64_t>(paces.size());
  const ThreadId thread = profile.host.thread[*first];
  const std::string_view process = profile.threads[thread.value].process;
  const auto by_thread = paces.find({process, thread});
  const auto own = by_thread != paces.end() ? by_thread : paces.find({process, ThreadId{}});
  const double taken = own != paces.end() ? own->second.OfOne() : 0;
  for (const auto& [name, pace] : paces) {
    if (taken > 0) processes.slower = std::max(processes.slower, pace.OfOne() / taken);
  }
  return processes;
}

}  // namespace profgauge::analysis::time
