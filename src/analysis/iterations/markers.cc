#include "analysis/iterations/markers.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "analysis/flops/op_tree.h"
#include "analysis/iterations/derived_markers.h"
#include "analysis/iterations/iteration_ways.h"
#include "analysis/iterations/observed.h"
#include "base/errors.h"
#include "knowledge/iterations.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::iterations {
namespace {

// Extends marks without a length (`dur` 0 or missing) to the next mark.
void LengthenMarks(const Profile& profile, Markers& markers) {
  std::vector<Marker>& found = markers.found;
  markers.last_is_open = !found.empty() && found.back().host.end <= found.back().host.start;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].host.end > found[i].host.start) continue;
    found[i].host.end = i + 1 < found.size() ? found[i + 1].host.start
                                             : std::max(found[i].host.start, profile.last);
  }
}

// The markers of one thread, with their faults.
struct OfThread {
  std::vector<Marker> found;
  ThreadId thread;
  MarkerFaults faults;
};

// The outermost markers of `all`, which are of one thread and sorted by start. For operators that
// begin iterations, only the starts matter (`needs_ends` is false).
OfThread OutermostOf(const Profile& profile, std::vector<Marker> all, ThreadId thread,
                     bool needs_ends) {
  OfThread of{{}, thread, {}};
  of.faults.all = static_cast<std::int64_t>(all.size());
  if (needs_ends) of.faults.unfinished = EndMarkersWithoutLength(profile, all).empty() ? 0 : 1;
  of.faults.open = EndOpenMarkers(profile, all);
  for (const Marker& marker : all) {
    if (of.found.empty() || marker.host.end > of.found.back().host.end) of.found.push_back(marker);
  }
  of.faults.displaced = CountDisplaced(profile, of.found, all);
  return of;
}

// Returns the outermost rows that `wanted` accepts, on the thread with most of them: copies of the
// marker on another thread would count twice. Rows are sorted by thread.
OfThread OfOneThread(const Profile& profile, const std::function<bool(std::size_t)>& wanted,
                     bool needs_ends) {
  const HostTable& host = profile.host;
  OfThread best;
  std::vector<Marker> current;
  ThreadId thread;
  const auto finish = [&] {
    OfThread of = OutermostOf(profile, std::move(current), thread, needs_ends);
    if (of.found.size() > best.found.size()) best = std::move(of);
    current.clear();
  };
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (!wanted(row)) continue;
    if (host.thread[row] != thread) {
      finish();
      thread = host.thread[row];
    }
    current.push_back({RowSpan(host, row), host.name[row]});
  }
  finish();
  return best;
}

// Uses the user's own marker. Families and numbers do not matter: all matches are equal.
Result<Markers> MarkersByPattern(const Profile& profile, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 regex(pattern, options);
  if (!regex.ok()) {
    return Fail(UsageError("analysis/bad-marker",
                           fmt::format("the iteration marker `{}` is not a regular expression: {}",
                                       pattern, regex.error()),
                           "see the RE2 syntax; quote the pattern in the shell"));
  }
  TextTest matches(profile, [&](std::string_view text) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
  });
  OfThread of_thread = OfOneThread(
      profile, [&](std::size_t row) { return matches(profile.host.name[row]); }, true);
  Markers markers{std::move(of_thread.found), {IterationsBy::kPattern, pattern}, of_thread.thread};
  markers.faults = of_thread.faults;
  LengthenMarks(profile, markers);
  if (markers.found.empty()) {
    Error error =
        UsageError("analysis/no-marker",
                   fmt::format("no host range matches the iteration marker `{}`", pattern));
    error.notes = RepeatedRangesHelp(profile, true);
    return Fail(std::move(error));
  }
  return markers;
}

// Ops whose name contains the given one ("aten::conv2d" for "conv2d"), most frequent first.
std::vector<std::string> LikeNames(const Profile& profile, std::string_view name) {
  std::map<std::string_view, std::int64_t> counts;
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const std::string_view other = profile.Name(profile.host.name[row]);
    if (profile.host.kind[row] == HostKind::kOp && other.find(name) != other.npos) ++counts[other];
  }
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [other, count] : counts) {
    if (count > 1) order.emplace_back(-count, other);
  }
  std::sort(order.begin(), order.end());
  constexpr std::size_t kLikeNamesListed = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(order.size(), kLikeNamesListed); ++i) {
    list += fmt::format("{}`{}` ({} times)", i == 0 ? "" : ", ", order[i].second, -order[i].first);
  }
  if (list.empty()) return {};
  return {"help: operators of that name: " + list};
}

// An iteration lasts from one start of the op to the next: n starts make n - 1 iterations.
Result<Markers> MarkersByKeyOp(const Profile& profile, const std::string& name) {
  const StringId id = profile.strings.Find(name);
  OfThread of_thread;
  if (id.valid()) {
    of_thread = OfOneThread(
        profile, [&](std::size_t row) { return profile.host.name[row] == id; }, false);
  }
  const std::vector<Marker>& starts = of_thread.found;
  if (starts.size() < 2) {
    Error error = UsageError(
        "analysis/no-key-op",
        fmt::format(
            "the key operator `{}` occurs {}; expected at least twice, an iteration runs from "
            "one start to the next",
            name, starts.empty() ? "nowhere" : "once"));
    error.notes = LikeNames(profile, name);
    for (std::string& line : RepeatedRangesHelp(profile, false)) {
      error.notes.push_back(std::move(line));
    }
    return Fail(std::move(error));
  }
  Markers markers{{}, {IterationsBy::kKeyOp, name}, of_thread.thread};
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    markers.found.push_back({{starts[i].host.start, starts[i + 1].host.start}, {}});
  }
  return markers;
}

// Without markers: one iteration over all host activity, i.e. ops, and calls that launched work
// outside of ops (CUDA graphs). Annotations are not activity. A trace without host events uses the
// extent of its device events.
Span WholeExtent(const Profile& profile) {
  // A Neuron device profile records the execution time itself.
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
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    if (profile.api.kind[call] != ApiKind::kLaunch) continue;
    Extend(extent, profile.api.start[call], profile.api.duration[call]);
  }
  if (extent) return *extent;
  for (std::size_t row = 0; row < profile.python.size(); ++row) {
    Extend(extent, profile.python.start[row], profile.python.duration[row]);
  }
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

// Without recorded markers: derives them from other events, else uses the whole profile.
Markers UnmarkedParts(const Profile& profile) {
  const Span extent = WholeExtent(profile);
  DerivedMarkers derived = DeriveMarkers(profile, extent);
  if (!derived.found.empty()) {
    return Markers{std::move(derived.found), std::move(derived.source), derived.thread};
  }
  return Markers{{{extent, {}}}, {IterationsBy::kUndivided}, {}};
}

}  // namespace

// The header documents the order of the ways. A range is clipped to the profile; one that begins
// after its end is an error.
Result<Markers> FindMarkers(const Profile& profile, const Selection& selection,
                            bool without_recorded) {
  if (selection.range) {
    const Span range = *selection.range;
    const Ns end = std::max(profile.last, profile.span_end);
    if (range.end <= range.start || range.start >= end) {
      return Fail(UsageError(
          "analysis/empty-range",
          fmt::format("the range from {} to {} ns is empty, the profile is {} ns long", range.start,
                      range.end, end),
          "times count from the start of the profile; `profgauge inspect` shows its length"));
    }
    return Markers{{{{range.start, std::min(range.end, end)}, {}}}, {IterationsBy::kRange}, {}};
  }
  if (!selection.iteration_marker.empty()) {
    return MarkersByPattern(profile, selection.iteration_marker);
  }
  if (!selection.key_op.empty()) return MarkersByKeyOp(profile, selection.key_op);
  if (without_recorded) return UnmarkedParts(profile);
  ChosenMarkers chosen = ChooseMarkers(profile);
  Markers markers{
      std::move(chosen.found), {IterationsBy::kMarkers, std::move(chosen.families)}, chosen.thread};
  markers.nested = std::move(chosen.nested);
  markers.faults = chosen.faults;
  LengthenMarks(profile, markers);
  if (markers.found.size() < 2) {
    DerivedMarkers derived = markers.found.empty() ? DerivedMarkers{} : EngineSteps(profile);
    if (!derived.found.empty()) {
      return Markers{std::move(derived.found), std::move(derived.source), derived.thread};
    }
  }
  if (markers.found.empty()) return UnmarkedParts(profile);
  if (profile.Name(markers.found.front().name).starts_with(kProfilerStep)) {
    markers.source = {IterationsBy::kProfilerSteps};
  }
  return markers;
}

// Extends `extent` to contain both ranges and the time between them.
void Extend(std::optional<Span>& extent, Ns start, Ns duration) {
  const Span span{start, start + std::max<Ns>(duration, 0)};
  if (!extent) {
    extent = span;
  } else {
    extent->start = std::min(extent->start, span.start);
    extent->end = std::max(extent->end, span.end);
  }
}

// FindObservable(): when the device of a profile without marks can be observed.

namespace {

// State of the device's queue before its first event.
struct FirstWork {
  bool found_empty_queue = false;
  Ns queued = std::numeric_limits<Ns>::min();    // When its launching call returned.
  Ns launched = std::numeric_limits<Ns>::max();  // When that call began.
};

// Several rows on different streams may start first: if any of them found its queue empty, the
// device was idle.
FirstWork FirstWorkOf(const Profile& profile, Ns first) {
  const DeviceTable& device = profile.device;
  FirstWork work;
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (device.start[row] != first || !launch.valid()) continue;
    const Ns start = profile.api.start[launch.value];
    const Ns returned = start + std::max<Ns>(profile.api.duration[launch.value], 0);
    work.found_empty_queue |= first <= returned + knowledge::kLaunchesFreeLatency;
    work.queued = std::max(work.queued, returned);
    work.launched = std::min(work.launched, start);
  }
  return work;
}

// Whether the device at first runs work launched before the profile: on each stream, work without a
// launch precedes all other work. If launches are missing later, too, the reason is another one.
bool BeginsWithOlderWork(const DeviceTable& device) {
  Ns first_launched = std::numeric_limits<Ns>::max();
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.launch[row].valid()) first_launched = std::min(first_launched, device.start[row]);
  }
  for (std::size_t row = 0; row < device.size();) {  // Stream by stream.
    const std::int32_t gpu = device.gpu[row];
    const auto stream = device.stream[row];
    bool has_launch = false, has_lost = false, is_late = false;
    for (; row < device.size() && device.gpu[row] == gpu && device.stream[row] == stream; ++row) {
      has_launch = has_launch || device.launch[row].valid();
      if (device.launch[row].valid()) continue;
      has_lost = has_lost || has_launch;
      is_late = is_late || device.start[row] > first_launched;
    }
    if (has_lost || (is_late && !has_launch)) return false;
  }
  return true;
}

// Returns when the last call returned that waited for the device before its first recorded work. It
// waited for work launched before the profile, and the queue was empty afterwards.
std::optional<Ns> DrainedAt(const Profile& profile, Ns first) {
  const ApiTable& api = profile.api;
  std::optional<Ns> drained;
  for (std::size_t call = 0; call < api.size(); ++call) {
    if (api.kind[call] != ApiKind::kSync || api.duration[call] < knowledge::kLaunchesWaitingCall)
      continue;
    const std::string_view name = profile.Name(api.name[call]);
    if (name.find("Event") != name.npos || name.find("Query") != name.npos) continue;
    const Ns end = api.start[call] + api.duration[call];
    if (end <= first) drained = std::max(drained.value_or(end), end);
  }
  return drained;
}

// Returns when the host certainly works for a device without recorded launches: during operators
// and waits for data, or during ranges if there are neither. Python frames and ranges around
// operators are no evidence. Parts separated only by a pause are merged.
std::vector<Span> WorkOfHost(const Profile& profile) {
  const HostTable& host = profile.host;
  TextTest loads(profile, flops::IsDataLoaderRange);
  std::vector<Span> work, ranges;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const bool is_range = host.kind[row] == HostKind::kAnnotation;
    if (host.kind[row] == HostKind::kOp || (is_range && loads(host.name[row]))) {
      work.push_back(RowSpan(host, row));
    } else if (is_range) {
      ranges.push_back(RowSpan(host, row));
    }
  }
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    if (profile.api.kind[call] != ApiKind::kLaunch) continue;
    work.push_back({profile.api.start[call], profile.api.start[call] + profile.api.duration[call]});
  }
  if (work.empty()) work = std::move(ranges);
  for (Span& span : work) span.end += knowledge::kLaunchesQueuePause.ns();
  work = Merge(std::move(work));
  for (Span& span : work) span.end -= knowledge::kLaunchesQueuePause.ns();
  return work;
}

// Sets the window of a profile without recorded launches: the time of device work, and of host work
// directly before it. Earlier host work shows nothing about the queue, which may have been full
// (e.g. a host step long before the first work of a queue that never drains).
void ObserveWithoutLaunches(const Profile& profile, Span work, Observable& observed) {
  observed.window = work;
  for (const Span& host : WorkOfHost(profile)) {
    const bool leads =
        host.start < work.start && host.end + knowledge::kLaunchesQueuePause >= work.start;
    if (leads) observed.window.start = std::min(observed.window.start, host.start);
  }
  observed.in_doubt = work.start - observed.window.start;
}

// The queue before the first recorded work (a). Older work is not recorded:
//
//   host    |launch a|
//   device            |#a#|                  1: the queue was empty
//
//   host    |launch a|
//   device  ???????????????|#a#|             2: the queue was full of older work
//
//   host    |-- other work --||launch a|
//   device                    ?????|#a#|     3: undecided, so the device is in doubt until a
//
// In case 2, a waits longer than the host was active before its call, and the window begins with a.
// Otherwise it begins with the host. Sets the start of the window, and the backlog or doubt.
void FindHead(const Profile& profile, Span extent, Ns first, Observable& observed) {
  const Ns start = std::min(extent.start, first);
  const FirstWork work = FirstWorkOf(profile, first);
  if (const auto drained = DrainedAt(profile, first)) {
    observed.window.start = std::max(start, *drained);
    return;
  }
  const bool is_linked = work.launched != std::numeric_limits<Ns>::max();
  if (work.found_empty_queue || (!is_linked && !BeginsWithOlderWork(profile.device))) {
    observed.window.start = start;
    return;
  }
  observed.window.start = first;
  const Ns waited = is_linked ? first - work.queued : 0;
  const Ns before = is_linked ? work.launched - start : 0;
  if (!is_linked || waited >= before) {
    observed.backlog = std::max<Ns>(0, first - std::max(start, work.queued));
    return;
  }
  observed.window.start = start;
  if (static_cast<double>(waited) >
      knowledge::kIterationsQueueByChanceShare * static_cast<double>(before)) {
    observed.in_doubt = first - start;
  }
}

}  // namespace

// Sets the window around the device work. Profiles without times, or of Neuron, are judged
// completely.
Observable FindObservable(const Profile& profile, Span extent) {
  const DeviceTable& device = profile.device;
  if (device.size() == 0 || !profile.has_timeline || profile.neuron != nullptr) return {extent};
  const Span work = DeviceExtent(device);
  Observable found;
  if (std::any_of(device.launch.begin(), device.launch.end(),
                  [](ApiId id) { return id.valid(); })) {
    found.window = work;
    FindHead(profile, extent, work.start, found);
  } else {
    ObserveWithoutLaunches(profile, work, found);
  }
  // The observed time also begins after the device's setup.
  const SetupTimes setup(profile);
  for (const auto& [call, time] : setup.calls()) {
    const Ns start = profile.api.start[call] + time;
    if (start <= found.window.start) continue;
    found.in_doubt = std::max<Ns>(0, found.in_doubt - (start - found.window.start));
    found.window.start = start;
  }
  return found;
}

// Events of length 0 count only if there are no others.
Span DeviceExtent(const DeviceTable& device) {
  std::optional<Span> extent;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.duration[row] > 0) Extend(extent, device.start[row], device.duration[row]);
  }
  for (std::size_t row = 0; row < device.size() && !extent; ++row) {
    Extend(extent, device.start[row], device.duration[row]);
  }
  if (!extent) return {};
  for (const Ns start : device.start) extent->end = std::max(extent->end, start);
  return *extent;
}

}  // namespace profgauge::analysis::iterations
