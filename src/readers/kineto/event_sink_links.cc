// Events that are no work themselves: changes of memory, arrows from calls to their work, and
// names.

#include <algorithm>
#include <cmath>

#include "base/whole.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/raw_event.h"

namespace profgauge::readers::kineto {

// Device Type: 0 is the CPU, 1 a GPU, others as c10::DeviceType counts them. Versions before
// PyTorch 1.10 write no address and no totals. Bytes are negative where memory is freed.
void EventSink::ReceiveMemory(const RawEvent& event) {
  const auto time = StartOf(event);
  if (!time || !TimesFit(*time, 0)) return CountBadTime(event);
  MemoryRow row;
  row.time = *time;
  row.thread = ThreadOf(event);
  const auto type = IntegerOr(event, Field::kDeviceType, 0);
  row.device_type = type >= 0 && type < 128 ? static_cast<std::int8_t>(type) : std::int8_t{-1};
  row.device = Narrow(IntegerOr(event, Field::kDeviceId, -1), -1);
  if (row.device_type == 1) row.device = GpuInTrace(row.device, TraceOf(event));
  row.address = static_cast<std::uint64_t>(IntegerOr(event, Field::kAddress, 0));
  row.bytes = IntegerOr(event, Field::kMemoryBytes, 0);
  row.total_allocated = IntegerOr(event, Field::kTotalAllocated, -1);
  row.total_reserved = IntegerOr(event, Field::kTotalReserved, -1);
  rows_->memory.push_back(row);
}

// The process is called "GPU 0 Counters". A copy to share has no values: its counters are named.
void EventSink::ReceiveSample(const RawEvent& event) {
  constexpr std::size_t kMostCounters = 64;
  const std::string_view name = event.Text(Field::kName);
  const auto time = StartOf(event);
  const auto percent = ParseReal(event.Text(Field::kCounter));
  if (!IsReadCounter(name) || !percent || !std::isfinite(*percent)) {
    auto& unread = rows_->unread_counters;
    std::string text(name);
    if (unread.size() < kMostCounters || unread.contains(text)) ++unread[std::move(text)];
    return;
  }
  if (!time || !TimesFit(*time, 0)) return CountBadTime(event);
  auto& counters = rows_->counters;
  const auto found = std::find(counters.begin(), counters.end(), name);
  SampleRow row;
  row.counter = static_cast<std::uint32_t>(found - counters.begin());
  if (found == counters.end()) counters.emplace_back(name);
  std::string_view process = event.Text(Field::kPid);
  constexpr std::string_view kGpu = "GPU ";
  if (const auto at = process.find(kGpu); at != process.npos) {
    process.remove_prefix(at + kGpu.size());
  }
  row.gpu = Narrow(ParseInteger(process.substr(0, process.find(' ')))
                       .value_or(IntegerOr(event, Field::kTid, -1)),
                   -1);
  row.time = *time;
  row.percent = *percent;
  rows_->samples.push_back(row);
}

// "s" is at the forward op, "f" and "t" at the backward one; both have the same id.
void EventSink::ReceiveFlow(const RawEvent& event) {
  const auto time = StartOf(event);
  if (!time || !TimesFit(*time, 0)) return CountBadTime(event);
  FlowRow row;
  row.id = IdInTrace(IntegerOr(event, Field::kId, -1), TraceOf(event));
  row.thread = ThreadOf(event);
  row.time = *time;
  row.forward = event.Text(Field::kPhase) == "s";
  rows_->flows.push_back(row);
}

// Needed only where launches are not numbered. An end is on the device's process and stream.
// Whether it was of use is known at the end of the file: a later chunk may number its launches.
void EventSink::ReceiveLaunchFlow(const RawEvent& event) {
  ++rows_->launch_flows;
  if (rows_->has_correlations) return;
  const auto time = StartOf(event);
  if (!time || !TimesFit(*time, 0)) return;
  LaunchArrow arrow;
  const TraceNumber trace = TraceOf(event);
  arrow.id = IdInTrace(IntegerOr(event, Field::kId, -1), trace);
  arrow.is_start = event.Text(Field::kPhase) == "s";
  arrow.time = *time;
  if (arrow.is_start) {
    arrow.thread = ThreadOf(event);
  } else {
    arrow.gpu = GpuInTrace(GpuOf(event), trace);
    arrow.stream = StreamOf(event);
  }
  rows_->arrows.push_back(arrow);
}

// Other metadata (process_labels, sort indices) is for viewers.
void EventSink::ReceiveName(const RawEvent& event) {
  const auto what = event.Text(Field::kName);
  const bool process = what == "process_name";
  if ((!process && what != "thread_name") || !event.Has(Field::kLabel)) {
    return rows_->log.Add(Counter::events_ignored_kind);
  }
  NameRow row;
  row.process = strings_.Intern(event.Text(Field::kPid));
  if (!process) row.thread = strings_.Intern(event.Text(Field::kTid));
  row.name = strings_.Intern(event.Text(Field::kLabel));
  rows_->names.push_back(row);
}

}  // namespace profgauge::readers::kineto
