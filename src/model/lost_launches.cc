#include "model/lost_launches.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "base/interval.h"

namespace profgauge {
namespace {

// When launches of a process are captured into a graph, on whatever thread: backward passes have
// their own.
std::vector<Span> CapturesOf(const Profile& profile, const ProcessNumbers& processes,
                             std::uint32_t process) {
  std::vector<std::pair<Ns, bool>> ends;
  const ApiTable& api = profile.api;
  for (std::uint32_t row = 0; row < api.size(); ++row) {
    if (processes.OfCall(ApiId{row}) != process) continue;
    const std::string_view name = profile.Name(api.name[row]);
    if (name.find("BeginCapture") != name.npos) ends.emplace_back(api.start[row], true);
    if (name.find("EndCapture") != name.npos) ends.emplace_back(api.start[row], false);
  }
  std::sort(ends.begin(), ends.end());
  // A driver's call may stand within the runtime's at one end alone: of several ends behind one
  // begin each is one of the same capture.
  std::vector<Span> captures;
  Ns start = std::numeric_limits<Ns>::min();  // The recording may begin within one.
  bool is_open = false;
  for (const auto& [at, begins] : ends) {
    if (begins && !is_open) start = at;
    if (!begins) captures.push_back({start, at});
    is_open = begins;
  }
  return captures;
}

// When each process made the last of the launches whose work is recorded. What it launched later
// was in flight when the profile ended: nothing of it is lost. Where none ran, the end tells
// nothing.
std::vector<Ns> LastLaunchesThatRan(const Profile& profile, const ProcessNumbers& processes) {
  constexpr Ns kNone = std::numeric_limits<Ns>::min();
  std::vector<Ns> last(processes.count(), kNone);
  for (const ApiId launch : profile.device.launch) {
    if (!launch.valid()) continue;
    Ns& of_process = last[processes.OfCall(launch)];
    of_process = std::max(of_process, profile.api.start[launch.value]);
  }
  std::replace(last.begin(), last.end(), kNone, std::numeric_limits<Ns>::max());
  return last;
}

}  // namespace

std::size_t CountCaptured(const Profile& profile, const ProcessNumbers& processes,
                          std::uint32_t process, const std::vector<std::uint32_t>& rows) {
  const std::vector<Span> captures = CapturesOf(profile, processes, process);
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](std::uint32_t row) {
    const Ns at = profile.api.start[row];
    const auto behind =
        std::upper_bound(captures.begin(), captures.end(), at,
                         [](Ns time, const Span& span) { return time < span.start; });
    return behind != captures.begin() && at <= std::prev(behind)->end;
  }));
}

std::vector<LostLaunches> LostLaunchesByProcess(const Profile& profile,
                                                const std::vector<std::uint32_t>& without_work) {
  // Fewer are a glitch. A process of which no work at all is recorded may only try what it can do.
  constexpr std::size_t kFew = 3, kFewOfNone = 20;
  std::vector<LostLaunches> found;
  if (without_work.size() < kFew) return found;
  const ProcessNumbers processes(profile);
  const std::vector<Ns> last_that_ran = LastLaunchesThatRan(profile, processes);
  const auto counts = [&](std::uint32_t row) {
    return profile.api.start[row] <= last_that_ran[processes.OfCall(ApiId{row})];
  };
  std::vector<std::size_t> launches(processes.count());
  for (std::uint32_t row = 0; row < profile.api.size(); ++row) {
    if (profile.api.kind[row] != ApiKind::kLaunch || !counts(row)) continue;
    ++launches[processes.OfCall(ApiId{row})];
  }
  std::vector<std::vector<std::uint32_t>> of_process(processes.count());
  for (const std::uint32_t row : without_work) {
    if (counts(row)) of_process[processes.OfCall(ApiId{row})].push_back(row);
  }
  for (std::uint32_t process = 0; process < of_process.size(); ++process) {
    const std::vector<std::uint32_t>& rows = of_process[process];
    if (rows.size() < kFew) continue;
    const std::size_t captured = CountCaptured(profile, processes, process, rows);
    const LostLaunches lost{rows.size() - captured, launches[process] - captured};
    if (lost.lost >= (lost.lost == lost.all ? kFewOfNone : kFew)) found.push_back(lost);
  }
  return found;
}

}  // namespace profgauge
