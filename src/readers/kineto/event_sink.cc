// The names of events' categories, and the kind of event that each means.
//
// Until PyTorch 1.11 names begin with a capital letter ("Operator", "Runtime", "Kernel", "Memcpy").
// Since 1.12 they are Kineto's ActivityType in lower case ("cpu_op", "cuda_runtime", "gpu_memcpy").
// ROCm writes HIP calls as "cuda_runtime". Intel's driver calls are inside its runtime calls.

#include "readers/kineto/event_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/whole.h"
#include "model/iteration_source.h"
#include "readers/kineto/raw_event.h"
#include "readers/text/names.h"

namespace profgauge::readers::kineto {
namespace {

constexpr std::pair<std::string_view, Category> kCategories[] = {
    {"cpu_op", Category::kOp},
    {"operator", Category::kOp},
    {"user_annotation", Category::kAnnotation},
    {"gpu_user_annotation", Category::kGpuAnnotation},
    {"python", Category::kPythonCategory},
    {"overhead", Category::kOverhead},
    {"runtime", Category::kRuntime},
    {"cuda_runtime", Category::kRuntime},
    {"cuda_driver", Category::kRuntime},
    {"hip_runtime", Category::kRuntime},
    {"hip_driver", Category::kRuntime},
    {"xpu_runtime", Category::kRuntime},
    {"xpu_driver", Category::kRuntime},
    {"mtia_runtime", Category::kRuntime},
    {"glow_runtime", Category::kRuntime},
    {"privateuse1_runtime", Category::kRuntime},
    {"privateuse1_driver", Category::kRuntime},
    {"kernel", Category::kKernel},
    {"mtia_ccp_events", Category::kKernel},
    {"memcpy", Category::kMemcpy},
    {"gpu_memcpy", Category::kMemcpy},
    {"memset", Category::kMemset},
    {"gpu_memset", Category::kMemset},
    {"cuda_sync", Category::kSync},
    {"xpu_sync", Category::kSync},
    {"python_function", Category::kPythonFunction},
    {"memory", Category::kMemory},
    {"cpu_instant_event", Category::kMemory},
    {"fwdbwd", Category::kFlow},
    {"forward_backward", Category::kFlow},
    {"trace", Category::kTrace},
    {"ac2g", Category::kLaunchFlow},
    {"async", Category::kIgnored},
    {"async_cpu_to_gpu", Category::kLaunchFlow},
    {"async_gpu", Category::kIgnored},
    {"external_correlation", Category::kIgnored},
    {"cuda_event", Category::kIgnored},
    {"cuda_profiler_range", Category::kProfilerRange},
    {"mtia_counters", Category::kIgnored},
    {"profgauge", Category::kIgnored},  // Findings in the traces of `--write trace`.
    {"xpu_scope_profiler", Category::kIgnored},
    {"hardware_counters", Category::kIgnored},
};

// Plug-ins of other accelerators have separate categories, e.g. "privateuse1_runtime".
Category CategoryBySuffix(std::string_view lower) {
  constexpr std::pair<std::string_view, Category> kSuffixes[] = {
      {"_runtime", Category::kRuntime}, {"_driver", Category::kRuntime},
      {"_kernel", Category::kKernel},   {"_memcpy", Category::kMemcpy},
      {"_memset", Category::kMemset},
  };
  for (const auto& [suffix, category] : kSuffixes) {
    if (lower.ends_with(suffix)) return category;
  }
  return Category::kUnknown;
}

}  // namespace

namespace {

std::string Lower(std::string_view cat) {
  std::string lower(cat);
  for (auto& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

Category CategoryOf(std::string_view cat) {
  const std::string lower = Lower(cat);
  for (const auto& [name, category] : kCategories) {
    if (name == lower) return category;
  }
  return CategoryBySuffix(lower);
}

bool IsExactCategory(std::string_view cat) {
  const std::string lower = Lower(cat);
  return std::ranges::any_of(kCategories, [&](const auto& row) { return row.first == lower; });
}

// Interns objects that events share and rows refer to by number: threads, traces, texts, launch
// configurations and collectives.

// Process and thread are texts, because old traces have "stream 7" and "Traces" there. Compares
// with the last event's thread first, which mostly is the same.
ThreadId EventSink::ThreadOf(const RawEvent& event) {
  if (event.is_placed_later) return {};
  const auto pid = event.Text(Field::kPid);
  const auto tid = event.Text(Field::kTid);
  if (last_thread_.valid() && pid == last_pid_ && tid == last_tid_) return last_thread_;
  const auto process = strings_.Intern(pid);
  const auto thread = strings_.Intern(tid);
  const auto key = std::uint64_t{process.value} << 32 | thread.value;
  const auto next = static_cast<std::uint32_t>(rows_->threads.size());
  const auto [at, is_new] = threads_.emplace(key, next);
  if (is_new) rows_->threads.emplace_back(process, thread);
  last_pid_.assign(pid);
  last_tid_.assign(tid);
  last_thread_ = ThreadId{at->second};
  return last_thread_;
}

// The number in this chunk, from 1 on, of the label before the event's process. Merge() replaces it
// by the number in the file. An event without a label belongs to trace 0.
TraceNumber EventSink::TraceOf(const RawEvent& event) {
  const auto pid = event.Text(Field::kPid);
  if (pid.empty() || pid.front() != '[') return 0;
  if (pid == labelled_pid_) return trace_;
  const std::string_view label = LabelOf(pid);
  labelled_pid_.assign(pid);
  trace_ = 0;
  if (!label.empty()) trace_ = NumberOfTrace(label);
  return trace_;
}

TraceNumber EventSink::NumberOfTrace(std::string_view label) {
  const StringId id = strings_.Intern(label);
  auto& traces = rows_->traces;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i] == id) return static_cast<TraceNumber>(i) + 1;
  }
  if (traces.size() >= Traces::kMostLabels) {
    rows_->has_more_labels = true;
    return 0;
  }
  traces.push_back(id);
  return static_cast<TraceNumber>(traces.size());
}

// Some merging tools write the rank into each device event, but not into calls. The event's GPU is
// then that rank's. Correlations need no rank, because the tool makes them unique.
TraceNumber EventSink::TraceOfGpu(const RawEvent& event) {
  const TraceNumber labelled = TraceOf(event);
  if (labelled != 0 || !event.Has(Field::kRank)) return labelled;
  const std::int64_t rank = IntegerOr(event, Field::kRank, -1);
  return rank < 0 ? 0 : NumberOfTrace(fmt::format("{}{}", kRankLabel, rank));
}

// Interns the text of a field. An empty text counts as missing.
StringId EventSink::Text(const RawEvent& event, Field field) {
  const auto text = event.Text(field);
  return text.empty() ? StringId{} : strings_.Intern(text);
}

LaunchConfigId EventSink::ConfigOf(const RawEvent& event) {
  LaunchConfig config;
  ReadTriple(event.Text(Field::kGrid), config.grid);
  ReadTriple(event.Text(Field::kBlock), config.block);
  config.registers = Narrow(IntegerOr(event, Field::kRegisters, -1), -1);
  config.shared_memory = IntegerOr(event, Field::kSharedMemory, -1);
  config.blocks_per_sm = RealOr(event, Field::kBlocksPerSm, -1);
  config.warps_per_sm = RealOr(event, Field::kWarpsPerSm, -1);
  const double percent = RealOr(event, Field::kOccupancy, -1);
  // Kineto writes 0 for some kernels that it cannot estimate; a whole warp per SM is more.
  const bool is_unknown = percent == 0 && config.warps_per_sm >= 1;
  if (percent >= 0 && !is_unknown) config.occupancy = percent / 100;
  // Most kernels repeat one of the latest few launch configurations.
  auto& configs = rows_->configs;
  for (std::size_t back = 1; back <= configs.size() && back <= 8; ++back) {
    const auto at = configs.size() - back;
    if (configs[at] == config) return LaunchConfigId{static_cast<std::uint32_t>(at)};
  }
  configs.push_back(config);
  return LaunchConfigId{static_cast<std::uint32_t>(configs.size() - 1)};
}

// An event of a process group is a collective even without a collective's name. A group without a
// name is named by its id (before PyTorch 2.4), or else by its description.
CollectiveId EventSink::CollectiveOf(const RawEvent& event) {
  const bool of_group = event.Has(Field::kGroupName) || event.Has(Field::kGroupDescription);
  if (!event.Has(Field::kCollective) && !of_group) return {};
  Collective collective;
  collective.name = Text(event, Field::kCollective);
  collective.dtype = Text(event, Field::kCollectiveType);
  collective.description = Text(event, Field::kGroupDescription);
  collective.group = Text(event, Field::kGroupName);
  if (!collective.group.valid()) collective.group = Text(event, Field::kGroupId);
  if (!collective.group.valid()) collective.group = collective.description;
  collective.in_elements = IntegerOr(event, Field::kInElements, -1);
  collective.out_elements = IntegerOr(event, Field::kOutElements, -1);
  collective.group_size = IntegerOr(event, Field::kGroupSize, -1);
  collective.sequence = IntegerOr(event, Field::kCollectiveSequence, -1);
  collective.source_rank = IntegerOr(event, Field::kSourceRank, -1);
  collective.destination_rank = IntegerOr(event, Field::kDestinationRank, -1);
  rows_->collectives.push_back(collective);
  return CollectiveId{static_cast<std::uint32_t>(rows_->collectives.size() - 1)};
}

namespace {

/// True if the length of the category's events is used.
bool IsMeasured(Category category) {
  switch (category) {
    case Category::kMemory:
    case Category::kFlow:
    case Category::kLaunchFlow:
    case Category::kProfilerRange:
    case Category::kTrace:
    case Category::kIgnored:
    case Category::kUnknown:
      return false;
    default:
      return true;
  }
}

// True if an event of an unknown kind looks like device work: it has a correlation with its launch,
// and a device. The device is an argument, follows from a stream, or is the process if its number
// is too small for a process of the system.
bool IsDeviceShaped(const RawEvent& event) {
  constexpr std::int64_t kMostDevices = 64;
  if (IntegerOr(event, Field::kCorrelation, -1) < 0) return false;
  if (IntegerOr(event, Field::kDevice, -1) >= 0 || event.Has(Field::kStream)) return true;
  if (event.Text(Field::kTid).starts_with("stream ")) return true;
  const std::int64_t process = IntegerOr(event, Field::kPid, -1);
  return process >= 0 && process < kMostDevices;
}

}  // namespace

std::int64_t StreamOf(const RawEvent& event) {
  const auto recorded = IntegerOr(event, Field::kStream, -1);
  if (recorded >= 0) return recorded;
  auto tid = event.Text(Field::kTid);
  if (const auto space = tid.rfind(' '); space != std::string_view::npos) {
    tid.remove_prefix(space + 1);
  }
  return ParseInteger(tid).value_or(-1);
}

// In device events the process is the device, if there is no argument.
std::int32_t GpuOf(const RawEvent& event) {
  const auto recorded = IntegerOr(event, Field::kDevice, -1);
  if (recorded >= 0) return Narrow(recorded, -1);
  const auto process = event.Text(Field::kPid);
  const auto label = LabelOf(process);
  return Narrow(ParseInteger(process.substr(label.empty() ? 0 : label.size() + 1)).value_or(-1),
                -1);
}

void EventSink::Begin(Rows& rows) {
  rows_ = &rows;
  strings_.Begin(rows);
  threads_.clear();
  call_kinds_.clear();
  last_thread_ = {};
  labelled_pid_.clear();
}

void EventSink::ReceiveOther() {
  rows_->log.Add(Counter::events_read);
  rows_->log.Add(Counter::events_unreadable);
}

void EventSink::Receive(const RawEvent& event) {
  auto& log = rows_->log;
  log.Add(Counter::events_read);
  if (event.duplicate_keys > 0) log.Add(Counter::duplicate_keys, event.duplicate_keys);
  const auto phase = event.Text(Field::kPhase);
  if (phase == "X") return ReceiveComplete(event);
  if (phase == "M") {
    rows_->has_names = true;
    return ReceiveName(event);
  }
  const bool flow = phase == "s" || phase == "f" || phase == "t";
  if (flow) {
    const Category category = CachedCategory(event.Text(Field::kCategory)).category;
    if (category == Category::kFlow) {
      rows_->is_pytorch = true;
      return ReceiveFlow(event);
    }
    if (category == Category::kLaunchFlow) return ReceiveLaunchFlow(event);
  }
  const bool instant = phase == "i" || phase == "I";
  if (instant && event.Text(Field::kName) == "[memory]") {
    rows_->is_pytorch = true;
    return ReceiveMemory(event);
  }
  const bool begins = phase == "B";
  if (begins || phase == "E") return ReceiveApart(event, begins);
  if (phase.empty()) {
    log.Add(Counter::events_unreadable);
  } else if (phase == "C" && event.Text(Field::kCategory) == "hardware_counters") {
    ReceiveSample(event);
  } else {
    if (phase.size() == 1) ++rows_->phases[phase.front()];
    log.Add(Counter::events_ignored_kind);
  }
}

namespace {

// Moves the last row to `out` if one was added to the `before` rows.
template <class Whole, class Row>
void TakeLast(std::vector<Row>& rows, std::size_t before, ApartRow& out) {
  if (rows.size() == before) return;
  out.row = Whole{std::move(rows.back())};
  rows.pop_back();
}

}  // namespace

// A begin event is read by the same code as a complete event, with length 0. Then its row is
// removed from its table:
//
//   rows.host   [a][b]          before
//   rows.host   [a][b][new]     ReceiveComplete() added one
//   apart       (new)           TakeLast() moved it: it has no length until its end is known
//
// Ends, and begins of unmeasured kinds, are kept without a row, because they take part in pairing.
void EventSink::ReceiveApart(const RawEvent& event, bool begins) {
  const auto time = StartOf(event);
  if (!time || !TimesFit(*time, 0)) return CountBadTime(event);
  ApartRow row;
  row.process = strings_.Intern(event.Text(Field::kPid));
  row.thread = strings_.Intern(event.Text(Field::kTid));
  row.time = *time;
  row.begins = begins;
  if (begins && CachedCategory(event.Text(Field::kCategory)).category == Category::kUnknown) {
    ++rows_->seen[event.Has(Field::kCategory) ? std::string(event.Text(Field::kCategory)) : ""];
  }
  if (begins && IsMeasured(CachedCategory(event.Text(Field::kCategory)).category)) {
    Rows& rows = *rows_;
    const std::size_t before[] = {rows.host.size(),   rows.api.size(),  rows.device.size(),
                                  rows.python.size(), rows.sync.size(), rows.device_ranges.size()};
    ReceiveComplete(event);
    TakeLast<HostRow>(rows.host, before[0], row);
    TakeLast<ApiRow>(rows.api, before[1], row);
    TakeLast<DeviceRow>(rows.device, before[2], row);
    TakeLast<PythonRow>(rows.python, before[3], row);
    TakeLast<SyncRow>(rows.sync, before[4], row);
    TakeLast<RangeRow>(rows.device_ranges, before[5], row);
  }
  rows_->apart.push_back(std::move(row));
}

// Keeps the text of the first bad time for an error about a whole file of such events.
void EventSink::CountBadTime(const RawEvent& event) {
  rows_->log.Add(Counter::events_bad_time);
  if (!rows_->bad_time.empty()) return;
  constexpr std::size_t kTextShown = 60;
  const std::string time = PrintableShort(std::string(event.Text(Field::kTime)), kTextShown);
  rows_->bad_time = fmt::format("the first, `{}`, has {}",
                                PrintableShort(std::string(event.Text(Field::kName)), kTextShown),
                                time.empty() ? "no `ts`" : fmt::format("`ts` {}", time));
}

void EventSink::ReceiveComplete(const RawEvent& event) {
  auto& log = rows_->log;
  if (!event.Has(Field::kCategory)) {
    ++rows_->seen[""];
    return log.Add(Counter::events_missing_cat);
  }
  const KnownCategory& known = CachedCategory(event.Text(Field::kCategory));
  auto category = known.category;
  CountSource(event, known);
  if (category == Category::kUnknown && IsDeviceShaped(event)) category = Category::kKernel;
  if (category == Category::kIgnored) return log.Add(Counter::events_ignored_kind);
  if (category == Category::kUnknown) return CountUnread(event.Text(Field::kCategory));
  const auto start = StartOf(event);
  if (!start || !TimesFit(*start, 0)) return CountBadTime(event);
  const Times times{*start, DurationOf(event)};
  const bool step = event.Text(Field::kName).starts_with(kProfilerStep);
  switch (category) {
    case Category::kOp:
      return AddHost(event, step ? HostKind::kIterationMarker : HostKind::kOp, times);
    case Category::kAnnotation:
      return AddHost(event, step ? HostKind::kIterationMarker : HostKind::kAnnotation, times);
    case Category::kPythonCategory:
      return AddHost(event, HostKind::kPython, times);
    case Category::kOverhead:
      return AddHost(event, HostKind::kOverhead, times);
    case Category::kRuntime:
      if (known.maker != Accelerator::kUnknown) rows_->maker = known.maker;
      return AddApi(event, times);
    case Category::kKernel:
      return AddDevice(event, DeviceKind::kKernel, times);
    case Category::kMemcpy:
      return AddDevice(event, DeviceKind::kMemcpy, times);
    case Category::kMemset:
      return AddDevice(event, DeviceKind::kMemset, times);
    case Category::kSync:
      rows_->sync.push_back(StreamRowOf(event, times));
      return;
    case Category::kGpuAnnotation:
      if (step) log.Add(Counter::gpu_step_markers_ignored);
      rows_->device_ranges.push_back(StreamRowOf(event, times));
      return;
    case Category::kPythonFunction:
      return AddPython(event, times);
    case Category::kTrace:
      // If several profilers wrote the file, the span that begins first is used, by the rule of
      // ProfileBuilder::SetSpan().
      if (!rows_->has_span || times.start < rows_->span_start) {
        rows_->has_span = true;
        rows_->span_start = times.start;
        rows_->span_duration = times.duration;
      }
      return;
    case Category::kProfilerRange:
      return log.AddAt(Counter::kernels_serialized, "a `cuda_profiler_range`: counters");
    case Category::kMemory:
    case Category::kFlow:
    case Category::kLaunchFlow:
    case Category::kIgnored:
    case Category::kUnknown:
      return log.Add(Counter::events_ignored_kind);
  }
}

// An exact category name of PyTorch is evidence that PyTorch wrote the file, unless the name is a
// common one that other tools may choose, too.
void EventSink::CountSource(const RawEvent& event, const KnownCategory& known) {
  const bool is_common = known.category == Category::kTrace || known.text == "async" ||
                         (known.category == Category::kKernel && !event.Has(Field::kStream) &&
                          !event.Has(Field::kDevice));
  if (known.is_exact && !is_common) {
    rows_->is_pytorch = true;
  } else if (!rows_->is_pytorch) {
    ++rows_->seen[known.text];
  }
}

// After kMostNamed kinds, new ones are counted without their names.
void EventSink::CountUnread(std::string_view category) {
  constexpr std::size_t kMostNamed = 64;  // Categories are few, unless a file is hostile.
  auto& unread = rows_->unread;
  std::string name(category);
  if (unread.size() >= kMostNamed && !unread.contains(name)) {
    return rows_->log.Add(Counter::events_ignored_kind);
  }
  ++unread[std::move(name)];
}

void EventSink::AddHost(const RawEvent& event, HostKind kind, Times times) {
  HostRow row;
  row.start = times.start;
  row.duration = times.duration;
  row.name = strings_.Intern(event.Text(Field::kName));
  row.kind = kind;
  row.thread = ThreadOf(event);
  row.id = IntegerOr(event, Field::kExternalId, -1);
  if (row.id == 0) row.id = -1;  // Old traces write 0 for no id.
  row.input_shapes = Text(event, Field::kInputDims);
  row.input_dtypes = Text(event, Field::kInputTypes);
  row.call_stack = Text(event, Field::kCallStack);
  row.concrete_inputs = Text(event, Field::kConcreteInputs);
  row.sequence = IntegerOr(event, Field::kSequence, -1);
  // Backward operators name the forward operator's thread; others have 0 or no value there.
  row.backward = IntegerOr(event, Field::kForwardThread, 0) > 0;
  row.id = IdInTrace(row.id, TraceOf(event));
  row.collective = CollectiveOf(event);
  rows_->host.push_back(row);
}

void EventSink::AddApi(const RawEvent& event, Times times) {
  ApiRow row;
  row.start = times.start;
  row.duration = times.duration;
  const auto name = event.Text(Field::kName);
  row.name = strings_.Intern(name);
  row.kind = KindOfCall(row.name, name);
  row.thread = ThreadOf(event);
  row.correlation = IntegerOr(event, Field::kCorrelation, -1);
  row.op_id = IntegerOr(event, Field::kExternalId, -1);
  // PyTorch 1.12 to 2.2 copied the correlation into this id, where it may equal an operator's id by
  // accident (kineto#843). Such an id counts as missing.
  if (row.op_id == 0 || row.op_id == row.correlation) row.op_id = -1;
  rows_->has_correlations |= row.correlation >= 0;
  const TraceNumber trace = TraceOf(event);
  row.correlation = IdInTrace(row.correlation, trace);
  row.op_id = IdInTrace(row.op_id, trace);
  if (name.starts_with("hip")) rows_->rocm = true;
  rows_->api.push_back(row);
  // No kernel runs while a graph is captured, but ROCm's profiler names the kernel in its launch
  // call. Such a kernel is added with length 0 (ReadOptions::of_captured_graphs).
  if (!adds_launched_ || row.kind != ApiKind::kLaunch || !event.Has(Field::kKernel)) return;
  DeviceRow work;
  work.start = times.start;
  work.name = strings_.Intern(event.Text(Field::kKernel));
  work.correlation = row.correlation;
  work.config = ConfigOf(event);
  rows_->device.push_back(work);
}

// Caches the kind of call by name, because searching each name for words takes longer than the rest
// of the row, and many calls share few names.
ApiKind EventSink::KindOfCall(StringId id, std::string_view name) {
  if (id.value >= call_kinds_.size()) call_kinds_.resize(id.value + std::size_t{1});
  std::optional<ApiKind>& known = call_kinds_[id.value];
  if (!known) known = ApiKindOf(name);
  return *known;
}

void EventSink::AddDevice(const RawEvent& event, DeviceKind kind, Times times) {
  DeviceRow row;
  row.start = times.start;
  row.duration = times.duration;
  const auto name = event.Text(Field::kName);
  row.name = strings_.Intern(name);
  row.kind = kind;
  row.gpu = GpuOf(event);
  row.stream = StreamOf(event);
  row.correlation = IntegerOr(event, Field::kCorrelation, -1);
  row.op_id = IntegerOr(event, Field::kExternalId, -1);
  if (row.op_id == 0 || row.op_id == row.correlation) row.op_id = -1;
  rows_->has_correlations |= row.correlation >= 0;
  const TraceNumber trace = TraceOf(event);
  row.gpu = GpuInTrace(row.gpu, TraceOfGpu(event));
  row.correlation = IdInTrace(row.correlation, trace);
  row.op_id = IdInTrace(row.op_id, trace);
  row.collective = CollectiveOf(event);
  // Only kernels have launch configurations; copies and memsets have bytes.
  if (kind == DeviceKind::kKernel) {
    row.config = ConfigOf(event);
  } else {
    row.bytes = IntegerOr(event, Field::kBytes, -1);
  }
  if (kind == DeviceKind::kMemcpy) {
    row.copy = CopyKindOf(name);
    row.host_memory = HostMemoryOf(name);
  }
  rows_->device.push_back(row);
}

void EventSink::AddPython(const RawEvent& event, Times times) {
  PythonRow row;
  row.start = times.start;
  row.duration = times.duration;
  row.name = strings_.Intern(event.Text(Field::kName));
  row.thread = ThreadOf(event);
  row.id = IntegerOr(event, Field::kPythonId, -1);
  row.parent_id = IntegerOr(event, Field::kPythonParent, -1);
  row.module_id = IntegerOr(event, Field::kPythonModule, -1);
  rows_->python.push_back(row);
}

StreamRow EventSink::StreamRowOf(const RawEvent& event, Times times) {
  StreamRow row;
  row.start = times.start;
  row.duration = times.duration;
  row.name = strings_.Intern(event.Text(Field::kName));
  row.gpu = GpuInTrace(GpuOf(event), TraceOfGpu(event));
  row.stream = StreamOf(event);
  return row;
}

// Ascend's profiler and converters write times as texts. They are read, and counted.
std::optional<Ns> EventSink::StartOf(const RawEvent& event) {
  if (event.is_placed_later) return Ns{0};
  if (!event.Has(Field::kTime)) return std::nullopt;
  const auto time = ParseMicroseconds(event.Text(Field::kTime), fraction_, kMaxTime);
  if (time && event.Is(Field::kTime, Form::kString)) rows_->log.Add(Counter::numbers_as_text);
  return time;
}

// A missing or impossible length becomes 0 and is counted: the event still happened, and its start
// and links are right.
Ns EventSink::DurationOf(const RawEvent& event) {
  auto& log = rows_->log;
  if (event.Text(Field::kPhase) == "B") return 0;
  if (!event.Has(Field::kDuration)) {
    log.Add(Counter::events_missing_dur);
    return 0;
  }
  const auto duration = ParseMicroseconds(event.Text(Field::kDuration), fraction_, kMaxDuration);
  if (!duration) {
    log.Add(Counter::events_overflowed_dur);
    return 0;
  }
  if (event.Is(Field::kDuration, Form::kString)) log.Add(Counter::numbers_as_text);
  if (*duration < 0) {
    log.Add(Counter::events_negative_dur);
    return 0;
  }
  return *duration;
}

const EventSink::KnownCategory& EventSink::CachedCategory(std::string_view cat) {
  constexpr std::size_t kMostKnown = 32;  // A trace has about ten: no hash is needed.
  for (const KnownCategory& known : categories_) {
    if (known.text == cat) return known;
  }
  const Accelerator maker = cat.starts_with("xpu_")    ? Accelerator::kIntel
                            : cat.starts_with("mtia_") ? Accelerator::kMtia
                                                       : Accelerator::kUnknown;
  KnownCategory made{std::string(cat), CategoryOf(cat), IsExactCategory(cat), maker};
  if (categories_.size() >= kMostKnown) return other_category_ = std::move(made);
  return categories_.emplace_back(std::move(made));
}

// Receives events that are not executed: changes of memory, arrows from calls to launched kernels,
// and names.

// "Device Type" is 0 for the CPU, 1 for a GPU, otherwise a value of c10::DeviceType. Traces before
// PyTorch 1.10 have no addresses and totals. "Bytes" is negative if memory is freed.
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

// The process is called "GPU 0 Counters". A scrubbed copy has no values: its counters are listed.
void EventSink::ReceiveSample(const RawEvent& event) {
  constexpr std::size_t kMostCounters = 64;
  const std::string_view name = event.Text(Field::kName);
  const auto time = StartOf(event);
  const auto percent = ParseReal(event.Text(Field::kCounter));
  if (!IsReadCounter(name) || !percent || !std::isfinite(*percent)) {
    auto& unread = rows_->unread_counters;
    std::string text(name);
    const bool is_named = unread.size() < kMostCounters || unread.contains(text);
    ++unread[is_named ? std::move(text) : std::string(kOtherCounters)];
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

// Phase "s" is at the forward operator, "f" or "t" at the backward operator, both with the same id.
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

// Arrows from calls to kernels are needed only if launches have no correlation. This is known only
// at the end of the file, since a later chunk may have one. An arrow ends at its device and stream.
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

// Other metadata (process_labels, sort indices) is only for viewers.
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
