#include "analysis/iterations/iteration_parts.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/numbers.h"
#include "knowledge/iterations.h"
#include "knowledge/launches.h"
#include "knowledge/loss.h"
#include "knowledge/usual.h"
#include "model/lost_launches.h"

namespace profgauge::analysis::iterations {
namespace {

// Finds launches without recorded work, and captures of graphs.
class Launches {
 public:
  Launches(const Profile& profile, ThreadId marking)
      : api_(profile.api),
        is_of_them_(ThreadsOfIterations(profile, marking)),
        states_(LaunchStates(profile)),
        captures_(profile) {}

  // Number of launches in one iteration, and of those without recorded work.
  struct Count {
    std::int64_t made = 0, without_work = 0;
    bool AllRan() const { return without_work == 0; }
    bool NoneRan() const { return made > 0 && without_work == made; }
  };
  /// Counts the launches of each iteration in `all`, sorted by host time. O(n log m).
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
  // Whether a graph is captured in that time. Captured launches do not run and lose no work.
  bool CapturesIn(Span host) const { return captures_.Touch(host); }

 private:
  const ApiTable& api_;
  std::vector<bool> is_of_them_;
  std::vector<LaunchState> states_;
  GraphCaptures captures_;
};

// Whether the last iteration, which launched less than the previous one, is only slow, not cut.
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

// Keeps only the flagged iterations.
void Keep(const std::vector<bool>& kept, Iterations& iterations) {
  std::vector<std::uint32_t> moved(kept.size(), Iterations::kNone);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    moved[i] = static_cast<std::uint32_t>(count);
    if (count != i) iterations.all[count] = std::move(iterations.all[i]);
    ++count;
  }
  if (count == kept.size()) return;
  iterations.all.resize(count);
  for (std::uint32_t& index : iterations.of_device) {
    if (index != Iterations::kNone) index = moved[index];
  }
}

// Profiles stop within an iteration. Trailing iterations without work are dropped. The last one is
// dropped if it has less than 80 % of the previous one's work and no sign of being complete:
//
//   work      100  100  100   35    0     0: dropped; 35: cut, unless it ends like others or is
//   kept      100  100  100               slow, and all of its launches ran
//
// Returns the end of the part's complete iterations; its begin if none has work.
std::size_t WholeUntil(const Profile& profile, const RecordedPart& part, bool last_is_open,
                       std::span<const Launches::Count> launches, const Iterations& iterations) {
  const auto events = [&](std::size_t i) {
    return static_cast<double>(iterations.all[i].device_events);
  };
  std::size_t kept = part.last;
  while (kept > part.first && iterations.all[kept - 1].device_events == 0) --kept;
  if (kept < part.first + 2 ||
      events(kept - 1) >= knowledge::kIterationsCompleteShare * events(kept - 2)) {
    return kept;
  }
  const bool has_end = !last_is_open || kept < iterations.all.size();
  const auto remaining = std::span<const Iteration>(iterations.all).first(kept).subspan(part.first);
  const bool is_whole = (has_end && IsSlow(remaining)) ||
                        LastEndsLikeOthers(profile, iterations.of_device, part.first, kept);
  return is_whole && launches[kept - 1].AllRan() ? kept : kept - 1;
}

// Returns the number of operators that begin in each iteration.
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

// Profilers lose launches while they start (kineto#996). So the first iterations of a part are
// dropped while they have less work than `iterations.complete_share` of the median, although their
// launches or operators show that there was more. An iteration that truly does less also has fewer
// of these. Returns the first of [first, last) to keep; `kept` flags all iterations kept so far.
std::size_t WholeFrom(const Profile& profile, const std::vector<bool>& kept, std::size_t first,
                      std::size_t last, std::span<const Launches::Count> launches,
                      const Launches& calls, const Iterations& iterations) {
  std::vector<std::int64_t> events;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) events.push_back(iterations.all[i].device_events);
  }
  if (events.size() < knowledge::kIterationsUsualLeast || first == last) return first;
  const auto is_less = [](std::int64_t own, std::int64_t usual) {
    return static_cast<double>(own) <
           knowledge::kIterationsCompleteShare * static_cast<double>(usual);
  };
  const std::int64_t usual = Median(events);
  if (!is_less(iterations.all[first].device_events, usual)) return first;
  const std::vector<std::int64_t> ops = OpsIn(profile, iterations);
  std::vector<std::int64_t> kept_ops;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) kept_ops.push_back(ops[i]);
  }
  const std::int64_t usual_ops = Median(kept_ops);
  std::size_t from = first;
  for (; from + 1 < last && is_less(iterations.all[from].device_events, usual); ++from) {
    const bool has_lost = !launches[from].AllRan() && !calls.CapturesIn(iterations.all[from].host);
    if (!has_lost && (usual_ops == 0 || is_less(ops[from], usual_ops))) break;
  }
  return from + 1 < last ? from : first;  // At least one must stay for comparison.
}

// How long the end of each iteration has no event. Ranges count only where they begin and end, as
// markers, and frames of Python, lie over everything.
//
//   markers   [1 ------------][2 ------------]
//   events     [op] [op][wait]  [op]
//   silent                   0       |-------|
std::vector<Ns> SilentEnds(const Profile& profile, const Iterations& iterations) {
  std::vector<Ns> last;
  for (const Iteration& iteration : iterations.all) last.push_back(iteration.host.start);
  IterationCursor cursor(iterations);
  const auto see = [&](Ns at) {
    const std::uint32_t in = cursor.AtHostTime(at);  // Its marker ends at its end, too.
    if (in != Iterations::kNone && at < iterations.all[in].host.end) {
      last[in] = std::max(last[in], at);
    }
  };
  const auto see_all = [&](const auto& table, const auto& is_work) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      const Ns start = table.start[row], end = start + std::max<Ns>(table.duration[row], 0);
      see(start);
      see(end);
      if (!is_work(row)) continue;
      const std::uint32_t in = cursor.AtHostTime(start);
      if (in != Iterations::kNone) {
        last[in] = std::max(last[in], std::min(end, iterations.all[in].host.end));
      }
    }
  };
  const auto always = [](std::size_t) { return true; };
  see_all(profile.host, [&](std::size_t row) { return profile.host.kind[row] == HostKind::kOp; });
  see_all(profile.api, always);
  see_all(profile.device, always);
  see_all(profile.python, [](std::size_t) { return false; });
  std::vector<Ns> silent;
  for (std::size_t i = 0; i < last.size(); ++i) {
    silent.push_back(iterations.all[i].host.end - last[i]);
  }
  return silent;
}

}  // namespace

// The calls and the work decide at once for nearly all profiles.
Ns SilentEnd(const Profile& profile, const Iterations& iterations) {
  const Span last = iterations.all.back().host;
  Ns end = last.start;
  const auto see_all = [&end](const auto& table) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      end = std::max(end, table.start[row] + std::max<Ns>(table.duration[row], 0));
    }
  };
  see_all(profile.api);
  see_all(profile.device);
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.host.kind[row] == HostKind::kOp) end = std::max(end, profile.host.start[row]);
  }
  const Ns least = knowledge::kLossVerdictShare.WholeOf(last.length());
  if (last.end - end < least) return 0;
  std::vector<Ns> silent = SilentEnds(profile, iterations);
  const Ns own = silent.back();
  silent.pop_back();
  const bool is_only = silent.empty();
  const Ns usual = is_only ? 0 : *std::max_element(silent.begin(), silent.end());
  const Ns limit = is_only ? knowledge::kIterationsLostShare.WholeOf(last.length()) : least;
  return own >= limit && own > 2 * usual ? own : 0;
}

std::vector<Span> LongestSilence(const Profile& profile, std::span<const Span> spans) {
  std::vector<std::vector<Span>> events(spans.size());
  const auto see_all = [&](const auto& table) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      const Span event{table.start[row], table.start[row] + std::max<Ns>(table.duration[row], 1)};
      auto at = std::partition_point(spans.begin(), spans.end(), [&event](const Span& span) {
        return span.end <= event.start;
      });
      for (; at != spans.end() && at->start < event.end; ++at) {
        events[static_cast<std::size_t>(at - spans.begin())].push_back(event);
      }
    }
  };
  see_all(profile.host);
  see_all(profile.api);
  see_all(profile.device);
  see_all(profile.python);
  std::vector<Span> silences;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    Span longest{spans[i].start, spans[i].start};
    for (const Span& silent : Subtract(spans.subspan(i, 1), Merge(std::move(events[i])))) {
      if (silent.length() > longest.length()) longest = silent;
    }
    silences.push_back(longest);
  }
  return silences;
}

std::vector<RecordedPart> RecordedParts(const Profile& profile, const Iterations& iterations) {
  const std::vector<Iteration>& all = iterations.all;
  const std::vector<bool> follows = FollowsDirectly(iterations);
  std::vector<RecordedPart> parts{{0, all.size(), std::numeric_limits<Ns>::min()}};
  std::vector<Ns> lengths;
  for (const Iteration& iteration : all) lengths.push_back(iteration.host.length());
  if (lengths.size() < 2) return parts;
  const Ns usual = std::max<Ns>(Median(lengths), knowledge::kIterationsRemarkLeast.ns());
  std::vector<std::size_t> after;
  std::vector<Span> apart;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Span between{all[i - 1].host.end, all[i].host.start};
    const bool is_next = iterations.has_numbers && follows[i - 1];
    if (is_next || between.length() <= usual) continue;
    after.push_back(i);
    apart.push_back(between);
  }
  if (apart.empty() || 2 * apart.size() >= all.size()) return parts;
  const std::vector<Span> silences = LongestSilence(profile, apart);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    if (silences[i].length() <= usual) continue;
    parts.back().last = after[i];
    parts.push_back({after[i], all.size(), silences[i].start});
  }
  return parts;
}

// Tails are dropped first, because heads are compared with the median of the remaining ones.
void DropIncomplete(const Profile& profile, ThreadId marking, bool last_is_open,
                    std::span<const RecordedPart> parts, Iterations& iterations) {
  const Launches calls(profile, marking);
  const std::vector<Launches::Count> launches = calls.CountIn(iterations);
  std::vector<bool> kept(iterations.all.size(), true);
  const auto drop = [&kept](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) kept[i] = false;
    return static_cast<std::int64_t>(last - first);
  };
  std::vector<std::size_t> ends;
  for (const RecordedPart& part : parts) {
    std::size_t end = WholeUntil(profile, part, last_is_open, launches, iterations);
    // If no iteration has device work, all look alike.
    if (end == part.first) end = part.last;
    ends.push_back(end);
    iterations.dropped_at_end += drop(end, part.last);
  }
  // The last one may stall after all of its work, so that it must also have clearly less of it than
  // each of the others.
  const std::size_t first = parts.back().first, end = ends.back();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = first; i + 1 < end; ++i) {
    if (kept[i]) least = std::min<std::int64_t>(least, iterations.all[i].device_events);
  }
  const bool has_less = kept.back() && end > first + 1 &&
                        static_cast<double>(iterations.all[end - 1].device_events) <
                            knowledge::kUsualMost.Of(static_cast<double>(least));
  if (has_less && SilentEnd(profile, iterations) > 0) {
    iterations.dropped_at_end += drop(--ends.back(), kept.size());
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t from =
        WholeFrom(profile, kept, parts[i].first, ends[i], launches, calls, iterations);
    iterations.dropped_at_start += drop(parts[i].first, from);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    const bool is_lost = launches[i].NoneRan() && iterations.all[i].device_events == 0;
    if (is_lost && !calls.CapturesIn(iterations.all[i].host)) ++iterations.lost;
  }
  Keep(kept, iterations);
}

void CountLostLaunches(const Profile& profile, Iterations& iterations) {
  // A profile without any links has lost no work.
  const auto& launches = profile.device.launch;
  if (std::all_of(launches.begin(), launches.end(), [](ApiId id) { return !id.valid(); })) return;
  const std::vector<LaunchState> states = LaunchStates(profile);
  for (const LostLaunches& process : LostLaunchesByProcess(profile, states)) {
    if (process.lost < knowledge::kLossDoubtShare.Of(process.all)) continue;
    iterations.launches_lost += static_cast<std::int64_t>(process.lost);
    iterations.launches_made += static_cast<std::int64_t>(process.all);
  }
  if (iterations.source.by != IterationsBy::kUndivided) return;
  const LostLaunches behind = LaunchesAfterWork(profile, states);
  iterations.launches_behind = static_cast<std::int64_t>(behind.lost);
  iterations.launches_seen = static_cast<std::int64_t>(behind.all);
}

namespace {

/// Names of an iteration's launches, in reverse order.
using Backwards = std::vector<std::uint32_t>;

// The launches of each iteration in [first, last), in reverse order. Equal starts are sorted by
// name, so that two streams of one call do not differ by chance.
std::vector<Backwards> CollectLaunches(const Profile& profile,
                                       std::span<const std::uint32_t> of_device, std::size_t first,
                                       std::size_t last) {
  struct Launch {
    std::uint32_t iteration = 0;
    Ns start = 0;
    std::uint32_t name = 0;
  };
  std::vector<Launch> launches;
  for (std::size_t row = 0; row < of_device.size(); ++row) {
    const ApiId call = profile.device.launch[row];
    if (of_device[row] < first || of_device[row] >= last || !call.valid()) continue;
    launches.push_back(
        {of_device[row], profile.api.start[call.value], profile.device.name[row].value});
  }
  std::ranges::sort(launches, [](const Launch& a, const Launch& b) {
    return std::tuple(a.iteration, b.start, a.name) < std::tuple(b.iteration, a.start, b.name);
  });
  std::vector<Backwards> all(last - first);
  for (const Launch& launch : launches) all[launch.iteration - first].push_back(launch.name);
  return all;
}

/// Returns the smallest number of last launches whose sequence occurs nowhere earlier (Z-function),
/// at least launches.sequence_least. Names are in reverse order: `a` is the last launch.
///
///   names    a b c x a b y      `a b` occurs twice, so three launches are unique: `a b c`
///   equal    0 0 0 0 2 0 0      number of names from here on that are equal to the beginning
std::size_t LengthOfOwnEnd(const Backwards& names) {
  std::vector<std::size_t> equal(names.size(), 0);
  std::size_t longest = 0, left = 0, right = 0;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (i < right) equal[i] = std::min(right - i, equal[i - left]);
    while (i + equal[i] < names.size() && names[equal[i]] == names[i + equal[i]]) ++equal[i];
    if (i + equal[i] > right) {
      left = i;
      right = i + equal[i];
    }
    longest = std::max(longest, equal[i]);
  }
  return std::max(longest + 1, knowledge::kLaunchesSequenceLeast.as<std::size_t>());
}

}  // namespace

// One earlier iteration with this end is enough: an optimizer may run only in every k-th.
bool LastEndsLikeOthers(const Profile& profile, std::span<const std::uint32_t> of_device,
                        std::size_t first, std::size_t last) {
  const std::vector<Backwards> all = CollectLaunches(profile, of_device, first, last);
  const Backwards& end = all.back();
  return std::ranges::any_of(std::span(all).first(all.size() - 1), [&](const Backwards& other) {
    const std::size_t length = LengthOfOwnEnd(other);
    return length <= other.size() && length <= end.size() &&
           std::equal(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(length),
                      end.begin());
  });
}

}  // namespace profgauge::analysis::iterations
