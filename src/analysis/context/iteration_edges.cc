
#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/context/iteration_parts.h"
#include "base/numbers.h"
#include "knowledge/iterations.h"
#include "knowledge/loss.h"
#include "model/lost_launches.h"

namespace profgauge::analysis::context {
namespace {

// Which launches have their work, and where graphs are captured: those do not run.
class Launches {
 public:
  Launches(const Profile& profile, ThreadId marking)
      : api_(profile.api),
        is_of_them_(ThreadsOfIterations(profile, marking)),
        states_(LaunchStates(profile)),
        captures_(profile) {}

  // Launches of one iteration, and those of which nothing was recorded.
  struct Count {
    std::int64_t made = 0, without_work = 0;
    bool AllRan() const { return without_work == 0; }
    bool NoneRan() const { return made > 0 && without_work == made; }
  };
  /// For each of `all`, which are by time on the host. O(n log m).
  std::vector<Count> CountIn(const Iterations& iterations) const {
    std::vector<Count> counts(iterations.all.size());
    IterationCursor cursor(iterations);
    for (std::size_t call = 0; call < api_.size(); ++call) {
      const ThreadId thread = api_.thread[call];
      if (states_[call] == LaunchState::kNone) continue;
      if (thread.valid() && !is_of_them_[thread.value]) continue;
      const std::uint32_t iteration = cursor.AtHostTime(api_.start[call]);
      if (iteration == Iterations::kNone) continue;
      ++counts[iteration].made;
      if (states_[call] == LaunchState::kWithoutWork) ++counts[iteration].without_work;
    }
    return counts;
  }
  // Whether a graph is captured in that time. Captured launches do not run: they lost nothing.
  bool CapturesIn(Span host) const { return captures_.Touch(host); }

 private:
  const ApiTable& api_;
  std::vector<bool> is_of_them_;
  std::vector<LaunchState> states_;
  GraphCaptures captures_;
};

// Whether the last of the iterations, which launched less than the one before it, is merely slow.
bool IsSlow(std::span<const Iteration> all) {
  const Iteration& last = all.back();
  Ns longest = 0;
  for (const Iteration& other : all.first(all.size() - 1)) {
    longest = std::max(longest, other.host.length());
  }
  const auto events = [](const Iteration& of) { return static_cast<double>(of.device_events); };
  return static_cast<double>(last.host.length()) >
             knowledge::kIterationsLastSlow * static_cast<double>(longest) &&
         events(last) >= knowledge::kIterationsLastSlowWork * events(all[all.size() - 2]);
}

// The iterations from `first` up to `last` stay.
void KeepRange(std::size_t first, std::size_t last, Iterations& iterations) {
  std::vector<Iteration>& all = iterations.all;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(last), all.end());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::uint32_t& index : iterations.of_device) {
    if (index == Iterations::kNone) continue;
    index = index < first || index >= last ? Iterations::kNone
                                           : index - static_cast<std::uint32_t>(first);
  }
}

// A profile stops in the middle of an iteration. First those without any work go, then the last
// one, if it has less than 80 % of the work of the one before it and nothing says that it is whole:
//
//   work      100  100  100   35    0     0: dropped; 35: cut, unless it ends like the others or
//   kept      100  100  100               stalled, and all of its launches ran
void DropIncompleteTail(const Profile& profile, bool last_is_open,
                        std::span<const Launches::Count> launches, Iterations& iterations) {
  const auto events = [&](std::size_t i) {
    return static_cast<double>(iterations.all[i].device_events);
  };
  std::size_t kept = iterations.all.size();
  while (kept > 0 && iterations.all[kept - 1].device_events == 0) --kept;
  if (kept == 0) return;  // No iteration launched anything: nothing shows them apart.
  if (kept > 1 && events(kept - 1) < knowledge::kIterationsCompleteShare * events(kept - 2)) {
    const bool has_end = !last_is_open || kept < iterations.all.size();
    const auto remaining = std::span<const Iteration>(iterations.all).first(kept);
    const bool is_whole =
        (has_end && IsSlow(remaining)) || LastEndsLikeOthers(profile, iterations.of_device, kept);
    if (!is_whole || !launches[kept - 1].AllRan()) --kept;
  }
  iterations.dropped_at_end = static_cast<std::int64_t>(iterations.all.size() - kept);
  KeepRange(0, kept, iterations);
}

// Operators that begin in each iteration.
std::vector<std::int64_t> OpsIn(const Profile& profile, const Iterations& iterations) {
  std::vector<std::int64_t> ops(iterations.all.size(), 0);
  IterationCursor cursor(iterations);
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.host.kind[row] != HostKind::kOp) continue;
    const std::uint32_t iteration = cursor.AtHostTime(profile.host.start[row]);
    if (iteration != Iterations::kNone) ++ops[iteration];
  }
  return ops;
}

// Profilers lose launches while they start (kineto#996). The first iterations are dropped
// while they have less work than `iterations.complete_share` of the median's, and their launches or
// operators show that there was more: one that only does less has fewer of those, too.
void DropIncompleteHead(const Profile& profile, std::span<const Launches::Count> launches,
                        const Launches& calls, Iterations& iterations) {
  const std::size_t count = iterations.all.size();
  if (count < knowledge::kIterationsUsualLeast) return;
  std::vector<std::int64_t> events;
  for (const Iteration& iteration : iterations.all) events.push_back(iteration.device_events);
  const auto is_less = [](std::int64_t own, std::int64_t usual) {
    return static_cast<double>(own) <
           knowledge::kIterationsCompleteShare * static_cast<double>(usual);
  };
  const std::int64_t usual = Median(events);
  if (!is_less(events.front(), usual)) return;
  const std::vector<std::int64_t> ops = OpsIn(profile, iterations);
  const std::int64_t usual_ops = Median(ops);
  std::size_t dropped = 0;
  for (; dropped + 1 < count && is_less(events[dropped], usual); ++dropped) {
    const bool has_lost =
        !launches[dropped].AllRan() && !calls.CapturesIn(iterations.all[dropped].host);
    if (!has_lost && (usual_ops == 0 || is_less(ops[dropped], usual_ops))) break;
  }
  if (dropped + 1 >= count) return;  // Nothing would be left to judge by.
  iterations.dropped_at_start = static_cast<std::int64_t>(dropped);
  KeepRange(dropped, count, iterations);
}

}  // namespace

// Tail first: the head is compared with the median of the iterations that are left.
void DropIncomplete(const Profile& profile, ThreadId marking, bool last_is_open,
                    Iterations& iterations) {
  const Launches calls(profile, marking);
  const std::vector<Launches::Count> counts = calls.CountIn(iterations);
  DropIncompleteTail(profile, last_is_open, counts, iterations);
  const std::span<const Launches::Count> launches = std::span(counts).first(iterations.all.size());
  DropIncompleteHead(profile, launches, calls, iterations);
  const auto dropped = static_cast<std::size_t>(iterations.dropped_at_start);
  for (std::size_t i = 0; i < iterations.all.size(); ++i) {
    const bool is_lost = launches[dropped + i].NoneRan() && iterations.all[i].device_events == 0;
    if (is_lost && !calls.CapturesIn(iterations.all[i].host)) ++iterations.lost;
  }
}

void CountLostLaunches(const Profile& profile, Iterations& iterations) {
  // A profile that links nothing has lost no work.
  const auto& launches = profile.device.launch;
  if (std::all_of(launches.begin(), launches.end(), [](ApiId id) { return !id.valid(); })) return;
  const std::vector<LaunchState> states = LaunchStates(profile);
  for (const LostLaunches& process : LostLaunchesByProcess(profile, states)) {
    if (process.lost < knowledge::kLossDoubtShare.Of(process.all)) continue;
    iterations.launches_lost += static_cast<std::int64_t>(process.lost);
    iterations.launches_made += static_cast<std::int64_t>(process.all);
  }
}

}  // namespace profgauge::analysis::context
