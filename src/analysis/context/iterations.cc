#include "analysis/context/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/context/last_launches.h"
#include "analysis/context/markers.h"
#include "base/errors.h"
#include "base/median.h"
#include "model/lost_launches.h"
#include "model/processes.h"

namespace profgauge {
namespace {

// The last iteration is dropped when it launched less than this share of the one before it: the
// recording ended inside it.
constexpr double kCompleteShare = 0.8;
// Unless it took this many times as long as any before it: what was cut off is not longer. A rest
// of the program behind the loop, in a marker that only the profiler closes, launches little.
constexpr double kSlow = 1.5;
constexpr double kSlowShare = 0.5;
// A queue works without pauses longer than this: later work without a recorded launch was not
// queued, its launch is missing for another reason.
constexpr Ns kQueuePause = 1'000'000;

// "5" of "ProfilerStep#5"; empty when there is no number at the end.
std::string TrailingNumber(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  return std::string(text.substr(begin));
}

void NameIterations(const Profile& profile, std::vector<Marker> markers, Iterations& iterations) {
  std::stable_sort(markers.begin(), markers.end(),
                   [](const Marker& a, const Marker& b) { return a.host.start < b.host.start; });
  std::vector<Iteration>& all = iterations.all;
  all.resize(markers.size());
  std::set<std::string> names;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    all[i].host = markers[i].host;
    all[i].name = TrailingNumber(profile.Name(markers[i].name));
    names.insert(all[i].name);
  }
  if (names.size() != all.size() || names.contains("")) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i].name = std::to_string(i);
  } else {
    iterations.has_numbers = true;
  }
}

// By thread: whether what it launches can be of iterations that `marking` marks. Another process
// that works on other GPUs alone has its own course.
std::vector<bool> ThreadsOfIterations(const Profile& profile, ThreadId marking) {
  std::vector<bool> is_of_them(profile.threads.size(), true);
  if (!marking.valid()) return is_of_them;
  const auto gpus = GpusOfProcesses(profile);
  const auto own = gpus.find(profile.threads[marking.value].process);
  if (own == gpus.end()) return is_of_them;
  for (std::size_t thread = 0; thread < is_of_them.size(); ++thread) {
    const auto others = gpus.find(profile.threads[thread].process);
    if (others == gpus.end() || others == own) continue;
    is_of_them[thread] = std::any_of(others->second.begin(), others->second.end(),
                                     [&](std::int32_t gpu) { return own->second.contains(gpu); });
  }
  return is_of_them;
}

static_assert(kNoIteration == Iterations::kNone);

// The device events of each iteration, and how far they reach.
struct DeviceReach {
  std::vector<std::optional<Span>> of_iteration;
  bool any = false;
};

DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking, Iterations& iterations) {
  const DeviceTable& device = profile.device;
  const std::vector<bool> is_of_them = ThreadsOfIterations(profile, marking);
  DeviceReach reach{std::vector<std::optional<Span>>(iterations.all.size()), false};
  // A part that is cut out by its times has what begins in it: the parts have all of the whole.
  const bool ends_inside = iterations.source.by != IterationsBy::kRange;
  iterations.of_device.assign(device.size(), Iterations::kNone);
  IterationCursor cursor(iterations);
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (!launch.valid()) continue;
    const std::size_t call = launch.value;
    const ThreadId thread = profile.api.thread[call];
    if (thread.valid() && !is_of_them[thread.value]) continue;
    const Ns start = profile.api.start[call];
    const std::uint32_t index = cursor.AtHostTime(start);
    if (index == Iterations::kNone) continue;
    const Ns end = start + profile.api.duration[call];
    if (ends_inside && end > iterations.all[index].host.end) continue;
    iterations.of_device[row] = index;
    ++iterations.all[index].device_events;
    reach.any = true;
  }
  iterations.behind = WorkBehind(profile, iterations.of_device);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == Iterations::kNone) continue;
    if (!iterations.behind.empty() && iterations.behind.contains(row)) continue;
    Extend(reach.of_iteration[index], device.start[row], device.duration[row]);
  }
  return reach;
}

// Device work that may come from before an iteration: it is of none so far.
struct Leftover {
  Ns start = 0, end = 0;
  std::uint64_t stream = 0;
  Ns launched = std::numeric_limits<Ns>::min();  // When, if that was recorded.
  bool has_launch = false;
};

std::uint64_t StreamOf(const DeviceTable& device, std::size_t row) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(device.gpu[row])) << 32) ^
         static_cast<std::uint64_t>(device.stream[row]);
}

// When an iteration's own work first starts, on each of its streams and anywhere.
struct OwnStarts {
  std::map<std::uint64_t, Ns> of_stream;
  Ns first = std::numeric_limits<Ns>::max();
  Ns first_kernel = std::numeric_limits<Ns>::max();
  // Streams work in order: what starts there later was launched later. Where the iteration itself
  // has no work, its first kernel ends the wait.
  Ns Limit(std::uint64_t stream) const {
    const auto own = of_stream.find(stream);
    if (own != of_stream.end()) return own->second;
    return first_kernel != std::numeric_limits<Ns>::max() ? first_kernel : first;
  }
};

// What was running or queued before iterations, waited for in their order.
class Leftovers {
 public:
  Leftovers(const Profile& profile, const Iterations& iterations) : own_(iterations.all.size()) {
    const DeviceTable& device = profile.device;
    std::uint32_t last_index = Iterations::kNone;
    std::uint64_t last_stream = 0;
    Ns* of_stream = nullptr;  // Of these two.
    for (std::size_t row = 0; row < device.size(); ++row) {
      const std::uint32_t index = iterations.of_device[row];
      const Ns start = device.start[row];
      const std::uint64_t stream = StreamOf(device, row);
      if (index != Iterations::kNone) {
        OwnStarts& own = own_[index];
        if (index != last_index || stream != last_stream) {  // Rows of a stream stand together.
          of_stream = &own.of_stream.try_emplace(stream, start).first->second;
          last_index = index;
          last_stream = stream;
        }
        *of_stream = std::min(*of_stream, start);
        own.first = std::min(own.first, start);
        if (device.kind[row] == DeviceKind::kKernel) {
          own.first_kernel = std::min(own.first_kernel, start);
        }
        continue;
      }
      Leftover left{start, start + std::max<Ns>(device.duration[row], 0), stream};
      const ApiId launch = device.launch[row];
      left.has_launch = launch.valid();
      if (left.has_launch) left.launched = profile.api.start[launch.value];
      coming_.push_back(left);
    }
    const auto without = std::count(device.launch.begin(), device.launch.end(), ApiId{});
    constexpr std::ptrdiff_t kOneOf = 2;
    has_launches_ = without * kOneOf < static_cast<std::ptrdiff_t>(device.size());
    std::stable_sort(coming_.begin(), coming_.end(),
                     [](const Leftover& a, const Leftover& b) { return a.start < b.start; });
  }

  /// When iteration `index` begins, which would at `at`. To be asked in order of the iterations.
  Ns WaitFor(std::size_t index, const Iteration& iteration, Ns at) {
    const OwnStarts& own = own_[index];
    if (own.of_stream.empty()) return at;
    for (; next_ < coming_.size() && coming_[next_].start < iteration.time.end; ++next_) {
      waiting_.push_back(coming_[next_]);
    }
    std::erase_if(waiting_, [at](const Leftover& left) { return left.end <= at; });
    Ns until = at;
    for (const Leftover& left : waiting_) {
      const Ns limit = own.Limit(left.stream);
      if (left.start >= limit) continue;
      // What the first one finds was launched before the recording, however long it waits for other
      // ranks, where the recording tells launches.
      const bool is_known = left.has_launch || (index == 0 && has_launches_);
      const bool was_queued =
          is_known ? left.launched < iteration.host.start : left.start <= until + kQueuePause;
      if (was_queued) until = std::max(until, std::min(left.end, limit));
    }
    return until;
  }

 private:
  bool has_launches_ = false;  // Of most work.
  std::vector<OwnStarts> own_;
  std::vector<Leftover> coming_;   // By start.
  std::vector<Leftover> waiting_;  // Those that started and had not ended at the last question.
  std::size_t next_ = 0;
};

void SetTimes(const Profile& profile, const DeviceReach& reach, Iterations& iterations) {
  std::optional<Leftovers> leftovers;
  if (reach.any) leftovers.emplace(profile, iterations);
  Ns previous_end = std::numeric_limits<Ns>::min();
  for (std::size_t i = 0; i < iterations.all.size(); ++i) {
    Iteration& iteration = iterations.all[i];
    iteration.time.end = iteration.host.end;
    if (reach.of_iteration[i]) {
      iteration.time.end = std::max(iteration.time.end, reach.of_iteration[i]->end);
    }
    iteration.time.start = std::max(previous_end, iteration.host.start);
    if (leftovers) {
      const Ns begin = leftovers->WaitFor(i, iteration, iteration.time.start);
      iteration.lead_in = begin - iteration.time.start;
      iteration.time.start = begin;
    }
    iteration.time.end = std::max(iteration.time.end, iteration.time.start);
    previous_end = iteration.time.end;
  }
}

// Which launches have their work, and where graphs are captured: those do not run.
class Launches {
 public:
  Launches(const Profile& profile, ThreadId marking)
      : api_(profile.api),
        is_of_them_(ThreadsOfIterations(profile, marking)),
        ran_(profile.api.size(), false) {
    for (const ApiId launch : profile.device.launch) {
      if (launch.valid()) ran_[launch.value] = true;
    }
    for (std::size_t call = 0; call < api_.size(); ++call) {
      const std::string_view name = profile.Name(api_.name[call]);
      if (name.find("BeginCapture") != name.npos) captures_.push_back(api_.start[call]);
    }
    std::sort(captures_.begin(), captures_.end());
  }

  struct Count {
    std::int64_t made = 0, without_work = 0;
    bool AllRan() const { return without_work == 0; }
    bool NoneRan() const { return made > 0 && without_work == made; }
  };
  /// Of each of `all`, which are by time on the host. O(n log m).
  std::vector<Count> CountIn(const Iterations& iterations) const {
    std::vector<Count> counts(iterations.all.size());
    IterationCursor cursor(iterations);
    for (std::size_t call = 0; call < api_.size(); ++call) {
      const ThreadId thread = api_.thread[call];
      if (api_.kind[call] != ApiKind::kLaunch) continue;
      if (thread.valid() && !is_of_them_[thread.value]) continue;
      const std::uint32_t iteration = cursor.AtHostTime(api_.start[call]);
      if (iteration == Iterations::kNone) continue;
      ++counts[iteration].made;
      if (!ran_[call]) ++counts[iteration].without_work;
    }
    return counts;
  }
  bool CapturesIn(Span host) const {
    const auto at = std::lower_bound(captures_.begin(), captures_.end(), host.start);
    return at != captures_.end() && *at < host.end;
  }

 private:
  const ApiTable& api_;
  std::vector<bool> is_of_them_, ran_;
  std::vector<Ns> captures_;
};

// Whether the last of the iterations, which launched less than the one before it, is merely slow.
bool IsSlow(std::span<const Iteration> all) {
  const Iteration& last = all.back();
  Ns longest = 0;
  for (const Iteration& other : all.first(all.size() - 1)) {
    longest = std::max(longest, other.host.length());
  }
  const auto events = [](const Iteration& of) { return static_cast<double>(of.device_events); };
  return static_cast<double>(last.host.length()) > kSlow * static_cast<double>(longest) &&
         events(last) >= kSlowShare * events(all[all.size() - 2]);
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

void DropIncompleteTail(const Profile& profile, bool last_is_open,
                        std::span<const Launches::Count> launches, Iterations& iterations) {
  const auto events = [&](std::size_t i) {
    return static_cast<double>(iterations.all[i].device_events);
  };
  std::size_t kept = iterations.all.size();
  while (kept > 0 && iterations.all[kept - 1].device_events == 0) --kept;
  if (kept == 0) return;  // No iteration launched anything: nothing tells them apart.
  if (kept > 1 && events(kept - 1) < kCompleteShare * events(kept - 2)) {
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

// Profilers lose what is launched while they start (kineto#996). The first iterations are dropped
// while they have less work than kCompleteShare of the median's, and their launches or operators
// tell that there was more: one that only does less has fewer of those, too.
void DropIncompleteHead(const Profile& profile, std::span<const Launches::Count> launches,
                        const Launches& calls, Iterations& iterations) {
  constexpr std::size_t kFewest = 3;  // Of two, nothing tells which is usual.
  const std::size_t count = iterations.all.size();
  if (count < kFewest) return;
  std::vector<std::int64_t> events;
  for (const Iteration& iteration : iterations.all) events.push_back(iteration.device_events);
  const auto is_less = [](std::int64_t own, std::int64_t usual) {
    return static_cast<double>(own) < kCompleteShare * static_cast<double>(usual);
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

// Leaves out what the profile's edges cut, and counts those inside whose work was lost.
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

// The position of a bound: as given, or that of the recorded number.
Result<std::int64_t> PositionOf(const Iterations& iterations, std::int64_t position,
                                const std::optional<std::int64_t>& number) {
  if (!number) return position;
  const std::string name = std::to_string(*number);
  for (std::size_t i = 0; i < iterations.all.size(); ++i) {
    if (iterations.has_numbers && iterations.all[i].name == name)
      return static_cast<std::int64_t>(i);
  }
  const std::string known = !iterations.has_numbers
                                ? "its iterations have no recorded numbers"
                                : fmt::format("it has #{} to #{}", iterations.all.front().name,
                                              iterations.all.back().name);
  return Fail(UsageError("analysis/no-such-iteration",
                         fmt::format("no iteration #{} is in the profile: {}", *number, known),
                         "without `#` iterations count from 0; `profgauge inspect` shows them"));
}

Status Select(const Selection& selection, Iterations& iterations) {
  const auto count = static_cast<std::int64_t>(iterations.all.size());
  PROFGAUGE_TRY(const std::int64_t start,
                PositionOf(iterations, selection.start, selection.start_number));
  PROFGAUGE_TRY(const std::int64_t stop,
                PositionOf(iterations, selection.stop, selection.stop_number));
  const std::int64_t first = std::max({start, selection.warmup, std::int64_t{0}});
  const std::int64_t last = stop < 0 ? count : std::min(stop + 1, count);
  if (first >= last) {
    return Fail(UsageError(
        "analysis/empty-selection",
        fmt::format("no iteration is selected: the selection is {} to {}, the profile has {} ({})",
                    first, stop < 0 ? "the end" : std::to_string(stop), count,
                    count == 1 ? "0" : fmt::format("0 to {}", count - 1)),
        "iterations count from 0; `profgauge inspect` shows them"));
  }
  iterations.first = static_cast<std::size_t>(first);
  iterations.last = static_cast<std::size_t>(last);
  iterations.everything = first == 0 && last == count;
  iterations.window = {iterations.all[iterations.first].time.start,
                       iterations.all[iterations.last - 1].time.end};
  return {};
}

// By GPU: whether work there whose launch is not recorded may be of iterations that `marking`
// marks. A GPU that other processes use, and its own does not, is theirs.
std::function<bool(std::int32_t)> GpusOfIterations(const Profile& profile, ThreadId marking) {
  if (!marking.valid()) return [](std::int32_t) { return true; };
  const auto gpus = GpusOfProcesses(profile);
  const auto own = gpus.find(profile.threads[marking.value].process);
  if (own == gpus.end()) return [](std::int32_t) { return true; };
  std::set<std::int32_t> others;
  for (const auto& [process, used] : gpus) {
    if (process != own->first) others.insert(used.begin(), used.end());
  }
  for (const std::int32_t gpu : own->second) others.erase(gpu);
  return [others](std::int32_t gpu) { return !others.contains(gpu); };
}

// Work whose launch was not recorded belongs to the iteration in which it starts.
void MatchByStart(const Profile& profile, ThreadId marking, Iterations& iterations) {
  const DeviceTable& device = profile.device;
  if (!profile.has_timeline) return;
  const auto is_of_them = GpusOfIterations(profile, marking);
  const bool has_launches = std::any_of(device.launch.begin(), device.launch.end(),
                                        [](ApiId launch) { return launch.valid(); });
  IterationCursor cursor(iterations);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.launch[row].valid() || !is_of_them(device.gpu[row])) continue;
    iterations.of_device[row] = cursor.AtTime(device.start[row]);
    // Those that launch are as long as what they launch.
    const bool is_inside = iterations.of_device[row] != Iterations::kNone;
    if (has_launches && is_inside && iterations.source.by != IterationsBy::kRange)
      iterations.behind.insert(row);
  }
}

// The range is the one iteration. It ends where it was told to, and device work without a launch
// belongs to it when it starts in it.
void SelectRange(const Profile& profile, Iterations& iterations) {
  Iteration& range = iterations.all.front();
  range.time = range.host;
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.launch[row].valid()) continue;
    const bool inside = device.start[row] >= range.host.start && device.start[row] < range.host.end;
    if (inside) iterations.of_device[row] = 0;
  }
  iterations.first = 0;
  iterations.last = 1;
  iterations.everything = false;
  iterations.window = range.time;
}

// One iteration for all work, in the time in which the device can be observed.
void TakeWhole(const Profile& profile, Iterations& iterations) {
  iterations.is_whole = true;
  Iteration& whole = iterations.all.front();
  const Observable found = FindObservable(profile, whole.host);
  whole.time = found.window;
  whole.lead_in = found.backlog;
  iterations.head_in_doubt = found.head_in_doubt;
  if (profile.has_timeline) std::fill(iterations.of_device.begin(), iterations.of_device.end(), 0u);
}

// Where enough is lost to matter.
void CountLostLaunches(const Profile& profile, Iterations& iterations) {
  constexpr std::size_t kDoubtOneOf = 100;
  std::vector<bool> ran(profile.api.size(), false);
  for (const ApiId launch : profile.device.launch) {
    if (launch.valid()) ran[launch.value] = true;
  }
  std::vector<std::uint32_t> without_work;
  for (std::uint32_t call = 0; call < profile.api.size(); ++call) {
    if (profile.api.kind[call] == ApiKind::kLaunch && !ran[call]) without_work.push_back(call);
  }
  // A profile that links nothing has lost no work.
  if (profile.device.size() == 0 || std::find(ran.begin(), ran.end(), true) == ran.end()) return;
  for (const LostLaunches& process : LostLaunchesByProcess(profile, without_work)) {
    if (process.lost * kDoubtOneOf < process.all) continue;
    iterations.launches_lost += static_cast<std::int64_t>(process.lost);
    iterations.launches_made += static_cast<std::int64_t>(process.all);
  }
}

Result<Iterations> FindAll(const Profile& profile, const Selection& selection) {
  PROFGAUGE_TRY(Markers markers, FindMarkers(profile, selection));
  Iterations iterations;
  iterations.source = std::move(markers.source);
  iterations.nested = std::move(markers.nested);
  iterations.marker_faults = markers.faults;
  const bool last_is_open = markers.last_is_open;
  const ThreadId marking = markers.thread;
  CountLostLaunches(profile, iterations);
  NameIterations(profile, std::move(markers.found), iterations);
  const DeviceReach reach = MatchDeviceEvents(profile, marking, iterations);
  SetTimes(profile, reach, iterations);
  if (selection.range) {
    MatchByStart(profile, marking, iterations);
    SelectRange(profile, iterations);
  } else if (iterations.source.by == IterationsBy::kUndivided) {
    TakeWhole(profile, iterations);
  } else {
    if (reach.any) DropIncomplete(profile, marking, last_is_open, iterations);
    MatchByStart(profile, marking, iterations);
    iterations.is_whole = !profile.has_timeline;
  }
  return iterations;
}

// The iterations without those whose names are in `names`.
void LeaveOut(const std::set<std::string>& names, Iterations& iterations) {
  std::vector<std::uint32_t> moved(iterations.all.size(), Iterations::kNone);
  std::vector<Iteration> kept;
  for (std::size_t i = 0; i < iterations.all.size(); ++i) {
    if (names.contains(iterations.all[i].name)) continue;
    moved[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(iterations.all[i]));
  }
  iterations.all = std::move(kept);
  for (std::uint32_t& index : iterations.of_device) {
    if (index != Iterations::kNone) index = moved[index];
  }
}

// Ranks are matched by the numbers that were recorded: one that began recording later, or stopped
// earlier, does not shift the others.
void KeepCommon(std::vector<Iterations>& ranks) {
  std::map<std::string, std::size_t> counts;
  std::size_t numbered = 0;
  for (const Iterations& rank : ranks) {
    if (!rank.has_numbers) continue;
    ++numbered;
    for (const Iteration& iteration : rank.all) ++counts[iteration.name];
  }
  std::set<std::string> partial;
  for (const auto& [name, count] : counts) {
    if (count < numbered) partial.insert(name);
  }
  if (partial.empty() || partial.size() == counts.size()) return;
  std::vector<std::string> in_order(partial.begin(), partial.end());
  std::sort(in_order.begin(), in_order.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  for (Iterations& rank : ranks) {
    if (!rank.has_numbers) continue;
    rank.lacking = static_cast<std::int64_t>(counts.size() - rank.all.size());
    LeaveOut(partial, rank);
    rank.partial = in_order;
  }
}

// The last iteration that has started at `at`; their number where none has. Most are about as long
// as the others: it is looked for first where it is if all are.
template <class StartOf>
std::size_t LastStarted(std::span<const Iteration> all, Ns at, StartOf start_of) {
  if (all.empty() || at < start_of(all.front())) return all.size();
  const std::size_t last = all.size() - 1;
  const auto first = static_cast<double>(start_of(all.front()));
  const double whole = std::max(1.0, static_cast<double>(start_of(all.back())) - first);
  const double share = std::min(1.0, (static_cast<double>(at) - first) / whole);
  const auto guess = static_cast<std::size_t>(share * static_cast<double>(last));
  for (std::size_t i = guess; i <= std::min(guess + 1, last); ++i) {
    if (start_of(all[i]) > at) break;
    if (i == last || at < start_of(all[i + 1])) return i;
  }
  const auto after = std::upper_bound(
      all.begin(), all.end(), at,
      [&](Ns time, const Iteration& iteration) { return time < start_of(iteration); });
  return static_cast<std::size_t>(after - all.begin()) - 1;
}

}  // namespace

std::uint32_t Iterations::AtHostTime(Ns at) const {
  const std::size_t found =
      LastStarted(all, at, [](const Iteration& iteration) { return iteration.host.start; });
  // The end is part of it for a call of no length at the very end.
  if (found == all.size() || at > all[found].host.end) return kNone;
  return static_cast<std::uint32_t>(found);
}

std::uint32_t Iterations::AtTime(Ns at) const {
  const std::size_t found =
      LastStarted(all, at, [](const Iteration& iteration) { return iteration.time.start; });
  if (found == all.size() || at >= all[found].time.end) return kNone;
  return static_cast<std::uint32_t>(found);
}

Ns Iterations::SelectedTime() const {
  Ns sum = 0;
  for (const Iteration& iteration : selected()) sum += iteration.time.length();
  return sum;
}

Result<std::vector<Span>> MarkedIterations(const Profile& profile, const Selection& selection) {
  PROFGAUGE_TRY(const Markers markers, FindMarkers(profile, selection));
  std::vector<Span> spans;
  if (markers.source.by == IterationsBy::kUndivided) return spans;
  for (const Marker& marker : markers.found) spans.push_back(marker.host);
  return spans;
}

Result<Iterations> FindIterations(const Profile& profile, const Selection& selection) {
  PROFGAUGE_TRY(std::vector<Iterations> found, FindIterations(std::span(&profile, 1), selection));
  return std::move(found.front());
}

Result<std::vector<Iterations>> FindIterations(std::span<const Profile> ranks,
                                               const Selection& selection) {
  std::vector<Iterations> found;
  for (const Profile& rank : ranks) {
    PROFGAUGE_TRY(Iterations iterations, FindAll(rank, selection));
    found.push_back(std::move(iterations));
  }
  KeepCommon(found);
  for (Iterations& iterations : found) {
    if (!selection.range) PROFGAUGE_CHECK(Select(selection, iterations));
  }
  return found;
}

std::int64_t NumberOf(const Iteration& iteration, std::size_t position) {
  std::int64_t number = 0;
  const char* end = iteration.name.data() + iteration.name.size();
  const auto parsed = std::from_chars(iteration.name.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return static_cast<std::int64_t>(position);
  return number;
}

std::vector<bool> FollowsDirectly(const Iterations& iterations) {
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i + 1 < iterations.all.size(); ++i) {
    steps.push_back(NumberOf(iterations.all[i + 1], i + 1) - NumberOf(iterations.all[i], i));
  }
  std::vector<bool> follows(iterations.all.size(), false);
  if (steps.empty()) return follows;
  const std::int64_t least = *std::min_element(steps.begin(), steps.end());
  for (std::size_t i = 0; i < steps.size(); ++i) follows[i] = steps[i] == least;
  return follows;
}

std::string IterationLabel(const IterationSource& source, std::string_view name,
                           std::int64_t position) {
  std::string index = std::to_string(position);
  if (name.empty() || name == index) return index;
  const bool is_step = source.by == IterationsBy::kProfilerSteps;
  return fmt::format("{}#{} ({})", is_step ? "ProfilerStep" : "", name, index);
}

}  // namespace profgauge
