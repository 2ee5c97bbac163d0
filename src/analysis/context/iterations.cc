#include "analysis/context/iterations.h"

#include "analysis/context/repeated_ranges.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace profgauge {
namespace {

// The last iteration is dropped when it launched less than this share of the one before it: the
// recording ended inside it.
constexpr double kCompleteShare = 0.8;
constexpr std::string_view kWholeProfile = "whole profile";
// Work that starts this soon after its launching call found nothing queued before it.
constexpr Ns kEmptyQueue = 50'000;
// A queue works without pauses longer than this: later work without a recorded launch was not
// queued, its launch is missing for another reason.
constexpr Ns kQueuePause = 1'000'000;

struct Marker {
  Span host;
  StringId name;
};

struct Markers {
  std::vector<Marker> found;
  std::string source;
};

Span RowSpan(const HostTable& host, std::size_t row) {
  return {host.start[row], host.start[row] + std::max<Ns>(host.duration[row], 0)};
}

Error UsageError(std::string code, std::string message, std::vector<std::string> notes) {
  Error error;
  error.kind = ErrorKind::kUsage;
  error.code = std::move(code);
  error.message = std::move(message);
  error.notes = std::move(notes);
  return error;
}

// Rows that `wanted` accepts, outermost only, of the thread that has most of them: an iteration is
// marked by one thread, and a copy of the marker elsewhere would count it twice.
std::vector<Marker> OutermostOfOneThread(const Profile& profile,
                                         const std::function<bool(std::size_t)>& wanted) {
  const HostTable& host = profile.host;
  std::vector<Marker> best;
  std::vector<Marker> current;
  ThreadId thread;
  Ns covered = 0;
  const auto finish = [&] {
    if (current.size() > best.size()) best.swap(current);
    current.clear();
  };
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (!wanted(row)) continue;
    const Span span = RowSpan(host, row);
    if (host.thread[row] != thread) {
      finish();
      thread = host.thread[row];
    } else if (!current.empty() && span.end <= covered) {
      continue;
    }
    current.push_back({span, host.name[row]});
    covered = span.end;
  }
  finish();
  return best;
}

// Whether the text of `id` satisfies `test`, asked once per distinct text.
class TextTest {
 public:
  TextTest(const Profile& profile, std::function<bool(std::string_view)> test)
      : profile_(profile), test_(std::move(test)), known_(profile.strings.size(), kUnknown) {}
  bool operator()(StringId id) {
    if (!id.valid()) return false;
    char& answer = known_[id.value];
    if (answer == kUnknown) answer = test_(profile_.strings[id]) ? kYes : kNo;
    return answer == kYes;
  }

 private:
  static constexpr char kUnknown = 0, kNo = 1, kYes = 2;
  const Profile& profile_;
  std::function<bool(std::string_view)> test_;
  std::vector<char> known_;
};

Result<Markers> MarkersByPattern(const Profile& profile, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 regex(pattern, options);
  if (!regex.ok()) {
    return Fail(UsageError("analysis/bad-marker",
                           fmt::format("the iteration marker `{}` is not a regular expression: {}",
                                       pattern, regex.error()),
                           {"help: see the RE2 syntax; quote the pattern in the shell"}));
  }
  TextTest matches(profile, [&](std::string_view text) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
  });
  Markers markers{OutermostOfOneThread(
                      profile, [&](std::size_t row) { return matches(profile.host.name[row]); }),
                  fmt::format("marker {}", pattern)};
  if (markers.found.empty()) {
    return Fail(UsageError("analysis/no-marker",
                           fmt::format("no host range matches the iteration marker `{}`", pattern),
                           RepeatedRangesHelp(profile, true)));
  }
  return markers;
}

// An iteration runs from one start of the op to the next, so n starts make n - 1 iterations.
Result<Markers> MarkersByKeyOp(const Profile& profile, const std::string& name) {
  const StringId id = profile.strings.Find(name);
  std::vector<Marker> starts;
  if (id.valid()) {
    starts = OutermostOfOneThread(profile,
                                  [&](std::size_t row) { return profile.host.name[row] == id; });
  }
  if (starts.size() < 2) {
    return Fail(UsageError(
        "analysis/no-key-op",
        fmt::format("the key op `{}` occurs {}; expected at least twice, an iteration runs from "
                    "one start to the next",
                    name, starts.empty() ? "nowhere" : "once"),
        RepeatedRangesHelp(profile, false)));
  }
  Markers markers{{}, fmt::format("key op {}", name)};
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    markers.found.push_back({{starts[i].host.start, starts[i + 1].host.start}, {}});
  }
  return markers;
}

void Extend(std::optional<Span>& extent, Ns start, Ns duration) {
  const Span span{start, start + std::max<Ns>(duration, 0)};
  if (!extent) {
    extent = span;
  } else {
    extent->start = std::min(extent->start, span.start);
    extent->end = std::max(extent->end, span.end);
  }
}

// Without markers, one iteration over all host activity: ops, and the calls that launched work
// outside of any op (CUDA graphs). Annotations alone are no activity; a trace without host events
// is measured over its device events.
Span WholeExtent(const Profile& profile) {
  // A device profile of Neuron says itself how long the execution took.
  if (profile.neuron != nullptr && profile.span_end > profile.span_start) {
    return {profile.span_start, profile.span_end};
  }
  std::optional<Span> extent;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const HostKind kind = profile.host.kind[row];
    if (kind != HostKind::kOp && kind != HostKind::kPython) continue;
    Extend(extent, profile.host.start[row], profile.host.duration[row]);
  }
  for (const ApiId launch : profile.device.launch) {
    if (!launch.valid()) continue;
    Extend(extent, profile.api.start[launch.value], profile.api.duration[launch.value]);
  }
  if (extent) return *extent;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    Extend(extent, profile.host.start[row], profile.host.duration[row]);
  }
  if (extent) return *extent;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    Extend(extent, profile.device.start[row], profile.device.duration[row]);
  }
  if (extent) return *extent;
  for (std::size_t row = 0; row < profile.api.size(); ++row) {
    Extend(extent, profile.api.start[row], profile.api.duration[row]);
  }
  return extent.value_or(Span{});
}

// Whether the recording ends with launches whose work it does not have: it stopped in flight.
bool StopsInFlight(const Profile& profile) {
  std::vector<bool> ran(profile.api.size(), false);
  Ns last = std::numeric_limits<Ns>::min();
  for (const ApiId launch : profile.device.launch) {
    if (!launch.valid()) continue;
    ran[launch.value] = true;
    last = std::max(last, profile.api.start[launch.value]);
  }
  bool in_flight = false;
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    // What is captured into a graph does not run: its launches say nothing.
    if (profile.Name(profile.api.name[call]).find("BeginCapture") != std::string_view::npos)
      return false;
    in_flight |=
        profile.api.kind[call] == ApiKind::kLaunch && !ran[call] && profile.api.start[call] > last;
  }
  return in_flight;
}

// The part of a recording without markers in which the device can be observed.
Span ObservableWindow(const Profile& profile, Span extent) {
  const DeviceTable& device = profile.device;
  if (device.size() == 0 || !profile.has_timeline || profile.neuron != nullptr) return extent;
  Ns first = std::numeric_limits<Ns>::max();
  Ns last = std::numeric_limits<Ns>::min();
  for (std::size_t row = 0; row < device.size(); ++row) {
    first = std::min(first, device.start[row]);
    last = std::max(last, device.start[row] + std::max<Ns>(device.duration[row], 0));
  }
  bool found_empty_queue = false;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (device.start[row] != first || !launch.valid()) continue;
    const Ns returned = profile.api.start[launch.value] + profile.api.duration[launch.value];
    found_empty_queue |= first <= returned + kEmptyQueue;
  }
  Span window{found_empty_queue ? std::min(extent.start, first) : first,
              std::max(extent.end, last)};
  if (StopsInFlight(profile)) window.end = last;
  return window;
}

Result<Markers> FindMarkers(const Profile& profile, const Selection& selection) {
  if (selection.range) {
    const Span range = *selection.range;
    const Ns end = std::max(profile.last, profile.span_end);
    if (range.end <= range.start || range.start >= end) {
      return Fail(UsageError("analysis/empty-range",
                             fmt::format("the range from {} to {} ns holds nothing, the recording "
                                         "is {} ns long",
                                         range.start, range.end, end),
                             {"help: times count from the start of the recording; `profgauge "
                              "inspect` shows its length"}));
    }
    return Markers{{{{range.start, std::min(range.end, end)}, {}}}, "range"};
  }
  if (!selection.iteration_marker.empty()) {
    return MarkersByPattern(profile, selection.iteration_marker);
  }
  if (!selection.key_op.empty()) return MarkersByKeyOp(profile, selection.key_op);
  Markers markers{
      OutermostOfOneThread(
          profile,
          [&](std::size_t row) { return profile.host.kind[row] == HostKind::kIterationMarker; }),
      "iteration markers"};
  if (markers.found.empty()) {
    return Markers{{{WholeExtent(profile), {}}}, std::string(kWholeProfile)};
  }
  if (profile.Name(markers.found.front().name).starts_with("ProfilerStep#")) {
    markers.source = "ProfilerStep#N";
  }
  return markers;
}

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

// The device events of each iteration, and how far they reach.
struct DeviceReach {
  std::vector<std::optional<Span>> of_iteration;
  bool any = false;
};

DeviceReach MatchDeviceEvents(const Profile& profile, Iterations& iterations) {
  const DeviceTable& device = profile.device;
  DeviceReach reach{std::vector<std::optional<Span>>(iterations.all.size()), false};
  iterations.of_device.assign(device.size(), Iterations::kNone);
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid()) continue;
    const std::size_t call = device.launch[row].value;
    const Ns start = profile.api.start[call];
    const std::uint32_t index = iterations.AtHostTime(start);
    if (index == Iterations::kNone) continue;
    if (start + profile.api.duration[call] > iterations.all[index].host.end) continue;
    iterations.of_device[row] = index;
    ++iterations.all[index].device_events;
    Extend(reach.of_iteration[index], device.start[row], device.duration[row]);
    reach.any = true;
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
    for (std::size_t row = 0; row < device.size(); ++row) {
      const std::uint32_t index = iterations.of_device[row];
      const Ns start = device.start[row];
      const std::uint64_t stream = StreamOf(device, row);
      if (index != Iterations::kNone) {
        OwnStarts& own = own_[index];
        const auto [at, is_new] = own.of_stream.try_emplace(stream, start);
        if (!is_new) at->second = std::min(at->second, start);
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
      const bool was_queued = left.has_launch ? left.launched < iteration.host.start
                                              : left.start <= until + kQueuePause;
      if (was_queued) until = std::max(until, std::min(left.end, limit));
    }
    return until;
  }

 private:
  std::vector<OwnStarts> own_;
  std::vector<Leftover> coming_;   // By start.
  std::vector<Leftover> waiting_;  // Those that started and had not ended at the last question.
  std::size_t next_ = 0;
};

void SetTimes(const Profile& profile, const DeviceReach& reach, Iterations& iterations) {
  Leftovers leftovers(profile, iterations);
  Ns previous_end = std::numeric_limits<Ns>::min();
  for (std::size_t i = 0; i < iterations.all.size(); ++i) {
    Iteration& iteration = iterations.all[i];
    iteration.time.end = iteration.host.end;
    if (reach.of_iteration[i]) {
      iteration.time.end = std::max(iteration.time.end, reach.of_iteration[i]->end);
    }
    iteration.time.start = std::max(previous_end, iteration.host.start);
    if (reach.any) {
      const Ns begin = leftovers.WaitFor(i, iteration, iteration.time.start);
      iteration.lead_in = begin - iteration.time.start;
      iteration.time.start = begin;
    }
    iteration.time.end = std::max(iteration.time.end, iteration.time.start);
    previous_end = iteration.time.end;
  }
}

void DropIncompleteTail(Iterations& iterations) {
  const auto events = [&](std::size_t i) {
    return static_cast<double>(iterations.all[i].device_events);
  };
  std::size_t kept = iterations.all.size();
  while (kept > 0 && iterations.all[kept - 1].device_events == 0) --kept;
  if (kept == 0) return;  // No iteration launched anything: nothing tells them apart.
  if (kept > 1 && events(kept - 1) < kCompleteShare * events(kept - 2)) --kept;
  iterations.dropped_at_end = static_cast<std::int64_t>(iterations.all.size() - kept);
  iterations.all.resize(kept);
  for (std::uint32_t& index : iterations.of_device) {
    if (index != Iterations::kNone && index >= kept) index = Iterations::kNone;
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
                         {"help: without `#` iterations count from 0; `profgauge inspect` shows "
                          "them"}));
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
        {"help: iterations count from 0; `profgauge inspect` shows them"}));
  }
  iterations.first = static_cast<std::size_t>(first);
  iterations.last = static_cast<std::size_t>(last);
  iterations.everything = first == 0 && last == count;
  iterations.window = {iterations.all[iterations.first].time.start,
                       iterations.all[iterations.last - 1].time.end};
  return {};
}

// Where no launch was recorded, work belongs to the iteration in which it starts.
void MatchByStart(const Profile& profile, Iterations& iterations) {
  const DeviceTable& device = profile.device;
  if (!profile.has_timeline) return;
  if (std::any_of(device.launch.begin(), device.launch.end(),
                  [](ApiId launch) { return launch.valid(); })) {
    return;
  }
  for (std::size_t row = 0; row < device.size(); ++row) {
    iterations.of_device[row] = iterations.AtTime(device.start[row]);
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
  const auto& launches = profile.device.launch;
  if (std::any_of(launches.begin(), launches.end(), [](ApiId launch) { return launch.valid(); })) {
    whole.time = ObservableWindow(profile, whole.host);
    whole.lead_in = std::max<Ns>(0, whole.time.start - whole.host.start);
  }
  if (profile.has_timeline) std::fill(iterations.of_device.begin(), iterations.of_device.end(), 0u);
}

Result<Iterations> FindAll(const Profile& profile, const Selection& selection) {
  PROFGAUGE_TRY(Markers markers, FindMarkers(profile, selection));
  Iterations iterations;
  iterations.source = std::move(markers.source);
  NameIterations(profile, std::move(markers.found), iterations);
  const DeviceReach reach = MatchDeviceEvents(profile, iterations);
  SetTimes(profile, reach, iterations);
  if (selection.range) {
    MatchByStart(profile, iterations);
    SelectRange(profile, iterations);
  } else if (iterations.source == kWholeProfile) {
    TakeWhole(profile, iterations);
  } else {
    if (reach.any) DropIncompleteTail(iterations);
    MatchByStart(profile, iterations);
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
    LeaveOut(partial, rank);
    rank.partial = in_order;
  }
}

}  // namespace

std::uint32_t Iterations::AtHostTime(Ns at) const {
  const auto after = std::upper_bound(
      all.begin(), all.end(), at,
      [](Ns time, const Iteration& iteration) { return time < iteration.host.start; });
  if (after == all.begin()) return kNone;
  const auto found = std::prev(after);
  // The end is part of it for a call of no length at the very end.
  if (at > found->host.end) return kNone;
  return static_cast<std::uint32_t>(found - all.begin());
}

std::uint32_t Iterations::AtTime(Ns at) const {
  const auto after = std::upper_bound(
      all.begin(), all.end(), at,
      [](Ns time, const Iteration& iteration) { return time < iteration.time.start; });
  if (after == all.begin() || at >= std::prev(after)->time.end) return kNone;
  return static_cast<std::uint32_t>(std::prev(after) - all.begin());
}

Ns Iterations::SelectedTime() const {
  Ns sum = 0;
  for (const Iteration& iteration : selected()) sum += iteration.time.length();
  return sum;
}

Result<std::vector<Span>> MarkedIterations(const Profile& profile, const Selection& selection) {
  PROFGAUGE_TRY(const Markers markers, FindMarkers(profile, selection));
  std::vector<Span> spans;
  if (markers.source == kWholeProfile) return spans;
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

std::string IterationLabel(std::string_view source, std::string_view name, std::int64_t position) {
  std::string index = std::to_string(position);
  if (name.empty() || name == index) return index;
  return fmt::format("{}#{} ({})", source == "ProfilerStep#N" ? "ProfilerStep" : "", name, index);
}

}  // namespace profgauge
