// Where the device of a profile without marks can be observed: FindObservable().

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/context/markers.h"
#include "analysis/context/observed.h"
#include "analysis/context/text_test.h"
#include "analysis/work/op_tree.h"
#include "knowledge/iterations.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::context {
namespace {

// State of the device's queue before its first event.
struct FirstWork {
  bool found_empty_queue = false;
  Ns queued = std::numeric_limits<Ns>::min();    // When the call that launched it returned.
  Ns launched = std::numeric_limits<Ns>::max();  // When that began.
};

// Several rows may start at the first moment, on several streams: if one of them found its queue
// empty, the device was idle.
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

// Whether the device works on launches from before the profile: on each stream, work without a
// launch comes before all other. In between, the link to its launch is missing for another reason.
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

// When the last call returned that waited for the device before its first recorded work: that it
// waited for was launched before the profile, and from then on nothing was queued.
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

// When the host demonstrably works for a device without recorded launches: its operators
// and waits for data, or its ranges if it has no such events. Python frames and ranges around
// operators show no work. Parts that are apart by no more than a pause are one.
std::vector<Span> WorkOfHost(const Profile& profile) {
  const HostTable& host = profile.host;
  TextTest loads(profile, work::IsDataLoaderRange);
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

// If launches do not show the host's work for a device: the time of its work, and of the
// host's that leads directly up to it. Host work long before shows nothing about a queue that may
// have been full (a step of the host, long before the first work of a never empty queue).
void ObserveWithoutLaunches(const Profile& profile, Span work, Observable& observed) {
  observed.window = work;
  for (const Span& host : WorkOfHost(profile)) {
    const bool leads =
        host.start < work.start && host.end + knowledge::kLaunchesQueuePause >= work.start;
    if (leads) observed.window.start = std::min(observed.window.start, host.start);
  }
  observed.in_doubt = work.start - observed.window.start;
}

// What the first work (a) says of older work, which no event shows:
//
//   host    |launch a|
//   device            |#a#|                  1: the queue was empty
//
//   host    |launch a|
//   device  ???????????????|#a#|             2: the queue was full of older work
//
//   host    |-- other work --||launch a|
//   device                    ?????|#a#|     3: either, so that up to a the device is in doubt
//
// In 2 a waits longer than the host was active before its call, and the window begins with a; in
// the others it begins with the host. Where the window starts, of which `observed` has the latest
// possible start: the first device work.
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

// From the first work outwards, and up to the last. Profiles without times and those of Neuron are
// judged whole.
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
  // Nor does the process' activity begin before its device is set up.
  const SetupTimes setup(profile);
  for (const auto& [call, time] : setup.calls()) {
    const Ns start = profile.api.start[call] + time;
    if (start <= found.window.start) continue;
    found.in_doubt = std::max<Ns>(0, found.in_doubt - (start - found.window.start));
    found.window.start = start;
  }
  return found;
}

// Events without a length begin it only where all are such.
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

}  // namespace profgauge::analysis::context
