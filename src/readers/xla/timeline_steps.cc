// Steps that need the whole timeline: nested events as pieces, and steps of devices as iterations.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <limits>
#include <tuple>
#include <utility>

#include "base/interval.h"
#include "knowledge/coverage.h"
#include "readers/xla/timeline.h"

namespace profgauge::readers::xla {

// If events nest, each instant belongs to the innermost one.
//
//   while.1  |-----------------------------|     0 to 30
//   fusion.2     |------|                        4 to 11
//   fusion.3                 |----|              16 to 21
//   pieces   |w.1| f.2  |w.1 |f.3 |  w.1   |
//
// Sorted by start, outer events first; `open` has the events around the moment, the innermost last.
// FLOPs count for events without another inside (fusion.2, fusion.3), as a loop's own are those of
// its body.
void Timeline::AddNested() {
  std::stable_sort(nested_.begin(), nested_.end(), [](const Piece& a, const Piece& b) {
    return std::tuple(a.gpu, a.stream, a.start, -a.end) <
           std::tuple(b.gpu, b.stream, b.start, -b.end);
  });
  const auto add = [&](const Piece& event, Ns from, Ns to) {
    if (event.end <= event.start) return builder_.log().Add(Counter::events_ignored_kind);
    if (to <= from) return;
    if (event.waits) {
      return builder_.AddDeviceRange({from, to - from, event.name, event.gpu, event.stream});
    }
    DeviceRow row;
    row.start = from;
    row.duration = to - from;
    row.name = event.name;
    row.gpu = event.gpu;
    row.stream = event.stream;
    row.config = event.config;
    row.collective = event.collective;
    builder_.AddDevice(row);
  };
  std::vector<const Piece*> open;
  const Piece* inner = nullptr;  // The event that began last: its work counts unless another nests.
  const auto count = [&] {
    // The peak that a plane states is the TensorCores'.
    if (inner == nullptr || inner->stream != kTensorCore) return;
    sums_.Add(inner->name, inner->end - inner->start, inner->flops, inner->bytes);
  };
  Ns told = 0;  // Up to here every instant of the open events has its piece.
  const auto close_until = [&](Ns time) {
    while (!open.empty() && open.back()->end <= time) {
      add(*open.back(), told, open.back()->end);
      told = std::max(told, open.back()->end);
      open.pop_back();
    }
  };
  for (const auto& event : nested_) {
    if (!open.empty() &&
        std::pair(open.back()->gpu, open.back()->stream) != std::pair(event.gpu, event.stream)) {
      close_until(std::numeric_limits<Ns>::max());
    }
    close_until(event.start);
    const bool nests = !open.empty() && open.back() == inner;
    if (!nests) count();
    inner = &event;
    if (event.stream == kTensorCore) sums_.Extend(event.gpu, event.start, event.end);
    if (!open.empty()) add(*open.back(), told, event.start);
    told = event.start;
    open.push_back(&event);
  }
  close_until(std::numeric_limits<Ns>::max());
  count();
  nested_.clear();
}

// Iterations are time spans of the host. If it marked none, a step is the host's from the call
// that launched its first work on the device to that of the next step, so that its work belongs to
// it however far the host runs ahead; without launches it stays the device's.
//
//   device   Steps   |-- step 1 --|   |-- step 2 --|   |-- step 3 --|
//            work    a  b             c   d            e
//   host     calls   a b c d e                           it runs ahead
//   step 1   from the call of a to that of c; step 2 to that of e; step 3 to the end of that
//
// Only if each step has launches and they are in the order of the steps; else all steps of the
// device keep its times.
void Timeline::AddDeviceSteps() {
  boost::unordered_flat_map<std::int64_t, Span> calls;
  for (const Call& call : calls_) {
    calls.emplace(call.row.correlation, Span{call.row.start, call.row.start + call.row.duration});
  }
  std::sort(work_.begin(), work_.end(), [](const Launched& a, const Launched& b) {
    return std::tuple(a.gpu, a.start, a.correlation) < std::tuple(b.gpu, b.start, b.correlation);
  });
  std::stable_sort(device_steps_.begin(), device_steps_.end(),
                   [](const DeviceStep& a, const DeviceStep& b) {
                     return std::pair(a.gpu, a.row.start) < std::pair(b.gpu, b.row.start);
                   });
  // For each step the calls of its work, from the first one's start to the last one's end.
  std::vector<Span> launches;
  for (std::size_t i = 0; i < device_steps_.size(); ++i) {
    const DeviceStep& step = device_steps_[i];
    Span& of_step = launches.emplace_back(Span{std::numeric_limits<Ns>::max(), 0});
    auto at = std::partition_point(work_.begin(), work_.end(), [&step](const Launched& work) {
      return std::pair(work.gpu, work.start) < std::pair(step.gpu, step.row.start);
    });
    Ns end = step.row.start + step.row.duration;
    // Steps do not overlap; where a file says so, work is of the later one.
    if (i + 1 < device_steps_.size() && device_steps_[i + 1].gpu == step.gpu) {
      end = std::min(end, device_steps_[i + 1].row.start);
    }
    for (; at != work_.end() && at->gpu == step.gpu && at->start < end; ++at) {
      const auto call = calls.find(at->correlation);
      if (call == calls.end()) continue;
      of_step.start = std::min(of_step.start, call->second.start);
      of_step.end = std::max(of_step.end, call->second.end);
    }
  }
  for (std::size_t from = 0; from < device_steps_.size();) {
    std::size_t to = from;
    while (to < device_steps_.size() && device_steps_[to].gpu == device_steps_[from].gpu) ++to;
    builder_.AddStepLane(device_steps_[from].gpu, device_steps_[from].row.thread);
    bool in_order = true;
    for (std::size_t i = from; i < to; ++i) {
      in_order &= launches[i].end > 0 && (i == from || launches[i - 1].start < launches[i].start);
    }
    for (std::size_t i = from; i < to; ++i) {
      HostRow row = device_steps_[i].row;
      if (in_order) {
        const Ns end = i + 1 < to ? launches[i + 1].start : launches[i].end;
        row.start = launches[i].start;
        row.duration = end - row.start;
      }
      builder_.AddHost(row);
    }
    from = to;
  }
}

// If the host continues before the device is done, a step is the time of dispatching, and
// without launches its work is unknown.
//
//   host     |step 1|step 2|step 3|                 ends of dispatching
//   device         |--- 1 ---|--- 2 ---|--- 3 ---|
//                                 ^^^^^^^^^^^^^^^^   outside of the host's steps
//
// Links from calls to work would assign the work; where there are none, and the device's steps lie
// largely outside, the host's markers are annotations only.
bool Timeline::HostRunsAhead() const {
  const bool any_work =
      std::ranges::any_of(devices_, [](const auto& entry) { return entry.second.has_work; });
  if (host_steps_.empty() || !any_work) return false;
  boost::unordered_flat_set<std::int64_t> calls;
  for (const Call& call : calls_) calls.insert(call.row.correlation);
  const auto launched = [&](const Launched& work) { return calls.contains(work.correlation); };
  if (std::ranges::any_of(work_, launched)) return false;
  const auto span_of = [](const HostRow& row) { return Span{row.start, row.start + row.duration}; };
  std::vector<Span> host, device;
  for (const HostRow& row : host_steps_) host.push_back(span_of(row));
  for (const DeviceStep& step : device_steps_) device.push_back(span_of(step.row));
  host = Merge(std::move(host));
  device = Merge(std::move(device));
  const Ns outside = Length(Subtract(device, host));
  return outside > 0 && static_cast<double>(outside) >=
                            knowledge::kCoverageOutsideShare * static_cast<double>(Length(device));
}

void Timeline::AddSteps() {
  const bool runs_ahead = HostRunsAhead();
  for (HostRow& row : host_steps_) {
    if (runs_ahead) row.kind = HostKind::kAnnotation;
    builder_.AddHost(row);
  }
  if (host_steps_.empty() || runs_ahead) AddDeviceSteps();
}

}  // namespace profgauge::readers::xla
