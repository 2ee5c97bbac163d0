#include "analysis/breakdown/gap_explainer.h"

#include <algorithm>
#include <span>

#include "analysis/breakdown/idle.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::breakdown {
namespace {

std::size_t Index(IdleCause cause) { return static_cast<std::size_t>(cause); }

// Whether it is a copy of unified-memory pages made by the driver.
bool IsMigration(const DeviceTable& device, DeviceId event) {
  return device.host_memory[event.value] == HostMemory::kManaged;
}

}  // namespace

// Several observed gaps may be parts of one idle time (`whole`), between unobserved parts. It is
// divided once, and each gap takes the parts within it.
void GapExplainer::Explain(IdleGap& gap) {
  if (gap.whole != explained_) {
    explained_ = gap.whole;
    parts_.clear();
    TakeApart(gap);
  }
  for (const CausedPart& part : parts_) {
    const Ns start = std::max(part.time.start, gap.time.start);
    const Ns end = std::min(part.time.end, gap.time.end);
    if (start < end) gap.causes[Index(part.cause)] += end - start;
  }
}

// Divides a gap among causes. There are five cases, by the work at the end of the gap:
//
//   nothing follows          all is the host part, by the thread that launched the last work;
//                            all is `other` if the profile has no launches
//   the clocks disagree      all is `other`
//   its launch is unknown    all is `other`; `host_wait` between two page migrations
//   launched before the gap  all is the device part: on the way to the device, or queued
//   launched in the gap      host part until the launch call starts, then the device part
void GapExplainer::TakeApart(const IdleGap& gap) {
  const DeviceTable& device = profile_.device;
  const ApiTable& api = profile_.api;
  const Span whole{std::max(gap.whole.start, std::min(profile_.first, gap.time.start)),
                   std::min(gap.whole.end, std::max(profile_.last, gap.time.end))};
  // What happened first, on the host or on the device, is then unknown.
  if (!knows_order_) return Add(whole, IdleCause::kOther);
  if (!gap.after.valid()) {
    // Without launches it is unknown for which thread the device waits.
    if (!knows_launches_) return Add(whole, IdleCause::kOther);
    ThreadId thread;
    if (gap.before.valid() && device.launch[gap.before.value].valid()) {
      thread = api.thread[device.launch[gap.before.value].value];
    }
    return SplitHostPart(whole, ThreadOf(thread));
  }
  const ApiId launch = device.launch[gap.after.value];
  if (!launch.valid()) {
    // Between migrations by the driver, the host works on the pages.
    const bool faults =
        gap.before.valid() && IsMigration(device, gap.before) && IsMigration(device, gap.after);
    return Add(whole, faults ? IdleCause::kHostWait : IdleCause::kOther);
  }
  LaunchCall call;
  call.time = {api.start[launch.value],
               api.start[launch.value] + std::max<Ns>(api.duration[launch.value], 0)};
  call.kind = api.kind[launch.value];
  call.thread = ThreadOf(api.thread[launch.value]);
  const Ns begin = std::clamp(call.time.start, whole.start, whole.end);
  SplitHostPart({whole.start, begin}, call.thread);
  SplitDevicePart({begin, whole.end}, call, gap.before.valid());
}

// Moves the part of the rest that `list` covers to `cause`. Later calls only see the remaining
// rest.
void GapExplainer::Take(NearInOrder& list, IdleCause cause) {
  if (rest_.empty()) return;
  TakeOf(list({rest_.front().start, rest_.back().end}), cause);
}

void GapExplainer::TakeOf(std::span<const Span> near, IdleCause cause) {
  if (near.empty()) return;
  for (const Span& taken : Intersect(rest_, near)) Add(taken, cause);
  rest_ = Subtract(rest_, near);
}

// `rest_` may have several pieces, over which `length` continues. If the pieces are 3 and 4 long
// and `length` is 5, `cause` gets 3 and 2, `remainder` gets 2.
void GapExplainer::TakeFirst(Ns length, IdleCause cause, IdleCause remainder) {
  for (const Span& span : rest_) {
    const Ns first = std::min(length, span.length());
    Add({span.start, span.start + first}, cause);
    Add({span.start + first, span.end}, remainder);
    length -= first;
  }
}

std::vector<Span> GapExplainer::ReadyIn(Span part) {
  std::vector<Span> ended;
  for (const Span span : ready_(part)) {
    if (span.end <= part.end) ended.push_back(span);
  }
  return ended;
}

// Example: the host's part of a gap, 20 us long. A synchronization that began 6 us before the gap
// returns 1 us after its start. It held the host for 6 us: without it, the launch could have come
// that much earlier. So the first 6 of the 10 unexplained us also count as sync.
//
//   sync [-6, 1)   batch [3, 8)   cudaMalloc [10, 14)   launch at 20
//   data_loader [3, 8)   memory [10, 14)   sync [0, 1)     left: [1, 3) [8, 10) [14, 20)
//   sync [1, 3) [8, 10) [14, 16)           host_wait [16, 20)
void GapExplainer::SplitHostPart(Span part, Thread* launching) {
  if (part.end <= part.start) return;
  rest_.assign(1, part);
  Take(data_loader_, IdleCause::kDataLoader);
  Ns drained = 0;
  if (launching != nullptr) {
    Take(launching->capture, IdleCause::kCapture);
    Take(launching->loading, IdleCause::kModuleLoading);
    Take(launching->memory, IdleCause::kMemoryManagement);
    // XLA launches from threads without ranges, while other threads allocate.
    if (!launching->has_ranges) Take(allocator_, IdleCause::kMemoryManagement);
    drained = launching->sync.HeldAt(part.start);
    Take(launching->sync, IdleCause::kSync);
  }
  const std::vector<Span> ready = ReadyIn(part);
  drained = std::max(drained, NearInOrder(ready).HeldAt(part.start));
  TakeOf(ready, IdleCause::kSync);
  // Without the call, the host would be ahead by as long as it was held, and no more.
  TakeFirst(drained, IdleCause::kSync, IdleCause::kHostWait);
}

// Divides the time from the start of the launch call to the work. First comes the call's own time
// (code loading in it, otherwise latency), then the way to the device. If the work starts later
// than launches.free_latency on a free device, it was queued. Calls that hold the device explain
// this; waits of the host do not, as queued work needs no host.
void GapExplainer::SplitDevicePart(Span part, const LaunchCall& launch, bool has_before) {
  if (part.end <= part.start) return;
  const Ns call_end = std::clamp(launch.time.end, part.start, part.end);
  rest_.clear();
  if (call_end > part.start) rest_.push_back({part.start, call_end});
  TakeHeld(launch.thread);
  // A copy called while earlier work was running waited for it.
  const bool has_waited =
      launch.kind == ApiKind::kMemcpy && launch.time.start < explained_.start && has_before;
  for (const Span& left : rest_) {
    Add(left, has_waited ? IdleCause::kSync : IdleCause::kLaunchLatency);
  }
  const Span way{call_end, part.end};
  if (way.length() < knowledge::kLaunchesFreeLatency) return Add(way, IdleCause::kLaunchLatency);
  rest_.assign(1, way);
  TakeHeld(launch.thread);
  for (const Span& left : rest_) Add(left, IdleCause::kQueued);
}

void GapExplainer::TakeHeld(Thread* launching) {
  if (launching == nullptr) return;
  Take(launching->loading, IdleCause::kModuleLoading);
  Take(launching->capture, IdleCause::kCapture);
  Take(launching->memory, IdleCause::kMemoryManagement);
}

}  // namespace profgauge::analysis::breakdown
