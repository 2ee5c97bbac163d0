#include "analysis/iterations/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/classify/communication_rules.h"
#include "analysis/classify/name_memo.h"
#include "analysis/iterations/iteration_parts.h"
#include "analysis/iterations/marker_names.h"
#include "analysis/iterations/markers.h"
#include "base/errors.h"
#include "base/units.h"
#include "knowledge/coverage.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::iterations {
namespace {

// Sets host ranges and names. Without usable numbers, positions are the names.
void NameIterations(const Profile& profile, std::vector<Marker> markers, Iterations& iterations) {
  std::stable_sort(markers.begin(), markers.end(),
                   [](const Marker& a, const Marker& b) { return a.host.start < b.host.start; });
  std::vector<Iteration>& all = iterations.all;
  all.resize(markers.size());
  std::vector<std::string_view> names;
  for (const Marker& marker : markers) names.push_back(profile.Name(marker.name));
  const std::vector<std::string_view> numbers = NumbersOfMarkers(names);
  iterations.has_numbers = !numbers.empty();
  for (std::size_t i = 0; i < markers.size(); ++i) {
    all[i].host = markers[i].host;
    all[i].name = iterations.has_numbers ? std::string(numbers[i]) : std::to_string(i);
  }
}

// The position that a bound selects: `position` itself, or that of the recorded number.
Result<std::int64_t> PositionOf(const Iterations& iterations, std::int64_t position,
                                const std::optional<std::int64_t>& number) {
  if (!number) return position;
  for (std::size_t i = 0; iterations.has_numbers && i < iterations.all.size(); ++i) {
    // Compared as numbers: "step 007" is #7.
    if (NumberOf(iterations.all[i], i) == *number) return static_cast<std::int64_t>(i);
  }
  const std::string known = !iterations.has_numbers
                                ? "its iterations have no recorded numbers"
                                : fmt::format("it has #{} to #{}", iterations.all.front().name,
                                              iterations.all.back().name);
  return Fail(UsageError("analysis/no-such-iteration",
                         fmt::format("no iteration #{} is in the profile: {}", *number, known),
                         "without `#` iterations count from 0; `profgauge inspect` shows them"));
}

// Converts the selection to positions. `stop` is inclusive and may be past the end; after `start`
// and the warm-up, at least one iteration must remain.
Status Select(const Selection& selection, Iterations& iterations) {
  const auto count = static_cast<std::int64_t>(iterations.all.size());
  PROFGAUGE_TRY(const std::int64_t start,
                PositionOf(iterations, selection.start, selection.start_number));
  PROFGAUGE_TRY(const std::int64_t stop,
                PositionOf(iterations, selection.stop, selection.stop_number));
  const std::int64_t first = std::max({start, selection.warmup, std::int64_t{0}});
  const std::int64_t last = stop < 0 || stop >= count ? count : stop + 1;
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

// Makes the range the only iteration. It ends at the given time, and contains device work without a
// launch that starts in it.
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

// Makes one iteration of all work, in the time in which the device can be observed.
void TakeWhole(const Profile& profile, Iterations& iterations) {
  iterations.is_whole = true;
  Iteration& whole = iterations.all.front();
  const Observable found = FindObservable(profile, whole.host);
  whole.time = found.window;
  whole.lead_in = found.backlog;
  iterations.in_doubt = found.in_doubt;
  if (profile.has_timeline) std::fill(iterations.of_device.begin(), iterations.of_device.end(), 0u);
}

// Whether recorded markers contain almost no device work although its launches are recorded. Then
// they mark no iterations; an example is a single step before all of the work.
bool HoldNoWork(const Profile& profile, const Iterations& iterations) {
  const bool is_recorded = iterations.source.by == IterationsBy::kMarkers ||
                           iterations.source.by == IterationsBy::kProfilerSteps;
  if (!is_recorded || !profile.has_timeline) return false;
  const DeviceTable& device = profile.device;
  Ns launched = 0, held = 0, all = 0;
  for (std::size_t row = 0; row < device.size(); ++row) {
    all += device.duration[row];
    if (device.launch[row].valid()) launched += device.duration[row];
    if (iterations.of_device[row] != Iterations::kNone) held += device.duration[row];
  }
  return all > 0 && launched > knowledge::kCoverageWithLaunchShare.Of(all) &&
         held < knowledge::kCoverageMarkedLeast.Of(all);
}

// Finds the iterations of one rank. After matching there are three cases: a range selected by time,
// a profile without iterations, and marked iterations, of which cut ones are dropped.
Result<Iterations> FindAll(const Profile& profile, const Selection& selection) {
  PROFGAUGE_TRY(Markers markers, FindMarkers(profile, selection));
  Iterations iterations;
  DeviceReach reach;
  std::vector<RecordedPart> parts;
  const auto divide = [&] {
    iterations = {};
    iterations.source = markers.source;
    iterations.nested = markers.nested;
    iterations.marker_faults = markers.faults;
    NameIterations(profile, markers.found, iterations);
    parts = RecordedParts(profile, iterations);
    reach = MatchDeviceEvents(profile, markers.thread, parts, iterations);
  };
  divide();
  if (HoldNoWork(profile, iterations)) {
    std::string family = NameOfMarker(profile.Name(markers.found.front().name)).family;
    PROFGAUGE_TRY(markers, FindMarkers(profile, selection, true));
    divide();
    iterations.without_work = FamilyText(family);
  }
  const bool last_is_open = markers.last_is_open;
  const ThreadId marking = markers.thread;
  CountLostLaunches(profile, iterations);
  SetTimes(profile, reach, parts, iterations);
  if (selection.range) {
    MatchByStart(profile, marking, iterations);
    SelectRange(profile, iterations);
  } else if (iterations.source.by == IterationsBy::kUndivided) {
    TakeWhole(profile, iterations);
  } else {
    MatchByStart(profile, marking, iterations);
    if (reach.any) DropIncomplete(profile, marking, last_is_open, parts, iterations);
    iterations.is_whole = !profile.has_timeline;
    const bool is_only = iterations.all.size() == 1 && profile.has_timeline;
    if (is_only) iterations.silent_end = SilentEnd(profile, iterations);
  }
  return iterations;
}

// Removes the iterations with these names. Their device rows then belong to no iteration.
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

// The last iteration that has started at `at`; all.size() if none has. Most iterations have similar
// lengths, so the search starts where equal lengths would put it, then bisects. There are millions
// of calls, for which the guess saves most comparisons.
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
  // The end is included for a call of length 0 at the very end.
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

// Ranks are matched by recorded numbers, so that a rank that began recording later, or stopped
// earlier, does not shift the others.
//
//   rank 0   3 4 5 6        kept: 4 5 on all ranks, `partial` is 3 6
//   rank 1     4 5 6        `lacking` is 0 for rank 0, 1 for ranks 1 and 2
//   rank 2   3 4 5
//
// If no number is on all ranks, all iterations stay: the ranks count different things.
void CommonIterations::Add(const Iterations& rank) {
  if (!rank.has_numbers) return;
  ++ranks_;
  for (const Iteration& iteration : rank.all) ++counts_[iteration.name];
}

void CommonIterations::Add(const CommonIterations& others) {
  ranks_ += others.ranks_;
  for (const auto& [name, count] : others.counts_) counts_[name] += count;
}

std::vector<std::string> CommonIterations::Partial() const {
  std::vector<std::string> partial;
  for (const auto& [name, count] : counts_) {
    if (count < ranks_) partial.push_back(name);
  }
  std::sort(partial.begin(), partial.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return partial;
}

void CommonIterations::Limit(Iterations& rank) const {
  std::vector<std::string> partial = Partial();
  if (!rank.has_numbers || partial.empty() || partial.size() == counts_.size()) return;
  rank.lacking = static_cast<std::int64_t>(counts_.size() - rank.all.size());
  LeaveOut({partial.begin(), partial.end()}, rank);
  rank.partial = std::move(partial);
}

Result<std::vector<Iterations>> FindIterations(std::span<const Profile> ranks,
                                               const Selection& selection,
                                               const IterationsOfRun& run) {
  std::vector<Iterations> found;
  for (const Profile& rank : ranks) {
    PROFGAUGE_TRY(Iterations iterations, FindAll(rank, selection));
    found.push_back(std::move(iterations));
  }
  CommonIterations own;
  for (const Iterations& iterations : found) own.Add(iterations);
  if (run.found != nullptr) run.found->Add(own);
  for (Iterations& iterations : found) {
    (run.all != nullptr ? *run.all : own).Limit(iterations);
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

bool NumbersFall(const Iterations& iterations) {
  const std::vector<Iteration>& all = iterations.all;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (NumberOf(all[i], i) < NumberOf(all[i - 1], i - 1)) return true;
  }
  return false;
}

std::vector<bool> FollowsDirectly(const Iterations& iterations) {
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i + 1 < iterations.all.size(); ++i) {
    steps.push_back(NumberOf(iterations.all[i + 1], i + 1) - NumberOf(iterations.all[i], i));
  }
  std::vector<bool> follows(iterations.all.size(), false);
  if (steps.empty()) return follows;
  const auto falls = std::ranges::count_if(steps, [](std::int64_t step) { return step < 0; });
  if (2 * static_cast<std::size_t>(falls) > steps.size()) {
    for (std::int64_t& step : steps) step = -step;
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t step : steps) {
    if (step > 0) least = std::min(least, step);
  }
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

namespace {

Ns EndOf(const DeviceTable& device, std::uint32_t row) {
  return device.start[row] + std::max<Ns>(device.duration[row], 0);
}

// The device rows of one stream, which are consecutive.
struct StreamWork {
  std::int32_t gpu = -1;
  std::uint32_t begin = 0, end = 0;
  Ns computing = 0;  // Time of kernels that do not communicate.
};

// All streams in table order: GPU, then number.
std::vector<StreamWork> StreamsOf(const Profile& profile) {
  const DeviceTable& device = profile.device;
  classify::NameMemo communicates(
      profile, [](std::string_view name) { return classify::CommunicationOf(name).has_value(); });
  std::vector<StreamWork> streams;
  std::int64_t last_stream = 0;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::int32_t gpu = device.gpu[row];
    const std::int64_t stream = device.stream[row];
    const bool is_new = streams.empty() || gpu != streams.back().gpu || stream != last_stream;
    if (is_new) streams.push_back({gpu, row, row, 0});
    last_stream = stream;
    streams.back().end = row + 1;
    if (device.kind[row] != DeviceKind::kKernel || device.collective[row].valid()) continue;
    if (communicates(device.name[row])) continue;
    streams.back().computing += std::max<Ns>(device.duration[row], 0);
  }
  return streams;
}

// An iteration's kernels, on a GPU or on one stream.
struct IterationWork {
  Ns begin = std::numeric_limits<Ns>::max(), end = std::numeric_limits<Ns>::min();
  std::int64_t count = 0;
};

// Whether `next` is only a part of an iteration, cut off by the profile's end.
bool IsRestOf(const IterationWork& next, const IterationWork& own) {
  return 2 * next.count < own.count;
}

// Finds the rows that extend no iteration, one GPU at a time. WorkBehind() has the rules.
class Behind {
 public:
  Behind(const Profile& profile, std::span<const std::uint32_t> of_device)
      : device_(profile.device), api_(profile.api), of_device_(of_device) {}

  // `streams`: all streams of one GPU.
  void AddGpu(std::span<const StreamWork> streams) {
    const StreamWork& main = *std::max_element(
        streams.begin(), streams.end(),
        [](const StreamWork& a, const StreamWork& b) { return a.computing < b.computing; });
    const auto of_all = KernelsOf(streams);
    if (streams.size() == 1) return AddOutliving(main, of_all);
    const auto of_main = KernelsOf({&main, 1});
    for (const StreamWork& stream : streams) {
      AddOutliving(stream, of_all);
      if (main.computing > 0 && stream.begin != main.begin) AddBeside(stream, main, of_main);
    }
  }
  boost::unordered_flat_set<std::uint32_t> Take() { return std::move(behind_); }

 private:
  using ByIteration = std::map<std::uint32_t, IterationWork>;

  // For these streams, the first start, last end and count of each iteration's kernels.
  ByIteration KernelsOf(std::span<const StreamWork> streams) const {
    ByIteration kernels;
    for (const StreamWork& stream : streams) {
      IterationWork* own = nullptr;
      std::uint32_t at = kNoIteration;
      for (std::uint32_t row = stream.begin; row < stream.end; ++row) {
        if (of_device_[row] == kNoIteration || device_.kind[row] != DeviceKind::kKernel) continue;
        if (own == nullptr || of_device_[row] != at) own = &kernels[at = of_device_[row]];
        own->begin = std::min(own->begin, device_.start[row]);
        own->end = std::max(own->end, EndOf(device_, row));
        ++own->count;
      }
    }
    return kernels;
  }

  // Calls `test(row, own, next)` for work that outlives its iteration's kernels; if true, the row
  // does not extend the iteration. After the last iteration, rows count if any earlier one did.
  template <class Test>
  void Add(const StreamWork& stream, const ByIteration& kernels, Test test) {
    std::vector<std::uint32_t> of_last;
    bool any = false;
    auto own = kernels.end();
    std::uint32_t iteration = kNoIteration;
    for (std::uint32_t row = stream.begin; row < stream.end; ++row) {
      if (of_device_[row] != iteration) own = kernels.find(iteration = of_device_[row]);
      if (own == kernels.end() || EndOf(device_, row) <= own->second.end) continue;
      const auto next = kernels.find(of_device_[row] + 1);
      if (next == kernels.end() || IsRestOf(next->second, own->second)) {
        of_last.push_back(row);
      } else if (test(row, next->second)) {
        behind_.insert(row);
        any = true;
      }
    }
    if (any) behind_.insert(of_last.begin(), of_last.end());
  }

  // Adds copies and memsets that outlive the next iteration's kernels. AddBeside() adds kernels.
  void AddOutliving(const StreamWork& stream, const ByIteration& kernels) {
    Add(stream, kernels, [&](std::uint32_t row, const IterationWork& next) {
      return device_.kind[row] != DeviceKind::kKernel && EndOf(device_, row) > next.end;
    });
  }

  // Adds work that runs beside the next iteration's kernels on the main stream, if the next
  // iteration does not use its stream. If the main stream waits for it (Awaits()), it is part of
  // the iteration.
  void AddBeside(const StreamWork& stream, const StreamWork& main, const ByIteration& kernels) {
    boost::unordered_flat_set<std::uint32_t> used;
    for (std::uint32_t row = stream.begin; row < stream.end; ++row) used.insert(of_device_[row]);
    Add(stream, kernels, [&](std::uint32_t row, const IterationWork& next) {
      const Ns end = EndOf(device_, row);
      const std::uint32_t iteration = of_device_[row] + 1;
      return next.begin < end && !used.contains(iteration) && !Awaits(main, iteration, end);
    });
  }

  // Whether the iteration's work on the stream begins at `at`, long after it could begin.
  bool Awaits(const StreamWork& stream, std::uint32_t iteration, Ns at) const {
    const auto begin = device_.start.begin() + stream.begin;
    const auto found = std::lower_bound(begin, device_.start.begin() + stream.end, at);
    const auto row = static_cast<std::uint32_t>(found - device_.start.begin());
    if (row == stream.end || of_device_[row] != iteration ||
        *found - at > knowledge::kLaunchesStartAfterWait) {
      return false;
    }
    Ns ready = std::numeric_limits<Ns>::min();
    if (row > stream.begin) ready = EndOf(device_, row - 1);
    const ApiId launch = device_.launch[row];
    if (launch.valid()) {
      ready = std::max(ready, api_.start[launch.value] + api_.duration[launch.value]);
    }
    return ready < at - knowledge::kLaunchesFreeLatency;
  }

  const DeviceTable& device_;
  const ApiTable& api_;
  std::span<const std::uint32_t> of_device_;
  boost::unordered_flat_set<std::uint32_t> behind_;
};

}  // namespace

// GPUs do not wait for each other here, so each is processed separately.
boost::unordered_flat_set<std::uint32_t> WorkBehind(const Profile& profile,
                                                    std::span<const std::uint32_t> of_device) {
  const std::vector<StreamWork> streams = StreamsOf(profile);
  Behind behind(profile, of_device);
  for (auto first = streams.begin(); first != streams.end();) {
    const auto last = std::find_if(first, streams.end(),
                                   [&](const StreamWork& each) { return each.gpu != first->gpu; });
    behind.AddGpu({first, last});
    first = last;
  }
  return behind.Take();
}

}  // namespace profgauge::analysis::iterations
