#include "readers/rocprofv3/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "readers/text/names.h"
#include "readers/text/numbers.h"
#include "readers/text/nvtx_text.h"

namespace profgauge::readers::rocprofv3 {
namespace {

constexpr std::string_view kRoot = "rocprofiler-sdk-tool.";
/// Of each kernel whose counters were read, which rocprofv3 lets run by itself.
constexpr std::string_view kCounters = "callback_records.counter_collection";
constexpr std::string_view kCorrelation = "correlation_id.internal";
constexpr std::int64_t kGpuType = 2;

std::int32_t Small(std::optional<std::int64_t> value, std::int32_t otherwise = -1) {
  const bool fits = value && *value >= 0 && *value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(*value) : otherwise;
}

/// 0 when it says none.
std::int64_t TimeIn(const JsonRow& row, std::string_view path) {
  return row.Integer(path).value_or(0);
}

/// "MEMORY_COPY_HOST_TO_DEVICE".
CopyKind CopyOf(std::string_view operation) {
  struct Entry {
    std::string_view end;
    CopyKind kind;
  };
  static constexpr std::array<Entry, 4> kEntries = {{
      {"HOST_TO_DEVICE", CopyKind::kHostToDevice},
      {"DEVICE_TO_HOST", CopyKind::kDeviceToHost},
      {"DEVICE_TO_DEVICE", CopyKind::kDeviceToDevice},
      {"HOST_TO_HOST", CopyKind::kHostToHost},
  }};
  for (const auto& entry : kEntries) {
    if (operation.ends_with(entry.end)) return entry.kind;
  }
  return CopyKind::kUnknown;
}

HostKind HostKindOf(RangeKind kind) {
  switch (kind) {
    case RangeKind::kOp:
      return HostKind::kOp;
    case RangeKind::kIterationMarker:
      return HostKind::kIterationMarker;
    case RangeKind::kAnnotation:
      break;
  }
  return HostKind::kAnnotation;
}

}  // namespace

bool Records::Wants(std::string_view list) {
  if (!list.starts_with(kRoot)) return false;
  list.remove_prefix(kRoot.size());
  return list == "agents" || list == "kernel_symbols" || list == "strings.buffer_records" ||
         list == "strings.marker_api" || list == kCounters || list.starts_with("buffer_records.");
}

void Records::ReceiveScalar(const JsonField& field) {
  if (field.path != "rocprofiler-sdk-tool.metadata.pid") return;
  process_ = field.text;
  known_.pid = true;
}

void Records::EndObject(std::string_view path) {
  if (path == kRoot.substr(0, kRoot.size() - 1)) EndProcess();
}

template <typename Record>
void Records::PlaceAll(std::deque<Record>& waiting) {
  // One by one: what is a row of the profile holds no memory here any more.
  for (; !waiting.empty(); waiting.pop_front()) Place(waiting.front());
}

// Ids are those of one process.
void Records::EndProcess() {
  PlaceAll(kernels_);
  PlaceAll(copies_);
  PlaceAll(calls_);
  PlaceAll(markers_);
  symbols_.clear();
  messages_.clear();
  kinds_.clear();
  known_ = {};
  process_.clear();
  ++process_number_;
}

void Records::Receive(std::string_view list, const JsonRow& row) {
  list.remove_prefix(kRoot.size());
  if (list == "agents") return AddAgent(row);
  if (list == "kernel_symbols") return AddSymbol(row);
  if (list == "strings.buffer_records") return AddKind(row);
  if (list == "strings.marker_api") {
    known_.messages = true;
    if (const auto key = row.Integer("key")) messages_[*key] = row.Text("value");
    return;
  }
  if (list == kCounters) {
    ++counted_;
    return;
  }
  list.remove_prefix(std::string_view("buffer_records.").size());
  builder_.log().Add(Counter::events_read);
  if (list == "kernel_dispatch") ++dispatches_;
  if (list == "kernel_dispatch") return AddKernel(row);
  if (list == "memory_copy") return AddCopy(row);
  if (list == "hip_api" || list == "hsa_api") return AddCall(row, false);
  if (list == "rccl_api") return AddCall(row, true);
  if (list == "marker_api") return AddMarker(row);
  builder_.log().Add(Counter::events_ignored_kind);
}

void Records::AddAgent(const JsonRow& row) {
  known_.agents = true;
  const auto handle = row.Integer("id.handle");
  if (!handle || row.Integer("type") != kGpuType) return;
  Agent agent;
  auto& gpu = agent.gpu;
  gpu.id = Small(row.Integer("logical_node_type_id"), Small(row.Integer("node_id")));
  gpu.name = row.Text("product_name");
  if (gpu.name.empty()) gpu.name = row.Text("name");
  gpu.sms = Small(row.Integer("cu_count"));
  gpu.warp_size = Small(row.Integer("wave_front_size"));
  gpu.memory = row.Integer("mem_banks.size_in_bytes").value_or(-1);
  const auto waves = Small(row.Integer("max_waves_per_cu"));
  if (waves > 0 && waves < 1024 && gpu.warp_size > 0 && gpu.warp_size <= 64) {
    gpu.max_threads_per_sm = waves * gpu.warp_size;
  }
  // 90500 is gfx950: 9.5.
  if (const auto version = Small(row.Integer("gfx_target_version")); version > 0) {
    gpu.compute_major = version / 10000;
    gpu.compute_minor = version / 100 % 100;
  }
  agents_.emplace(*handle, std::move(agent));
}

void Records::AddSymbol(const JsonRow& row) {
  known_.symbols = true;
  const auto id = row.Integer("kernel_id");
  auto name = row.Text("formatted_kernel_name");
  if (name.empty()) name = row.Text("kernel_name");
  if (!id || name.empty()) return;
  symbols_[*id] = {builder_.Intern(name), Small(row.Integer("arch_vgpr_count"))};
}

void Records::AddKind(const JsonRow& row) {
  known_.kinds = true;
  Kind kind;
  kind.name = row.Text("kind");
  for (const auto& field : row.fields()) {
    if (field.path == "operations") kind.operations.emplace_back(field.text);
  }
  kinds_.push_back(std::move(kind));
}

std::optional<Records::Times> Records::TimesOf(std::int64_t start, std::int64_t end) {
  // A record without a time of its own says 0.
  if (start <= 0 || end <= 0 || start > kMaxTime || end > kMaxTime) {
    builder_.log().Add(Counter::events_bad_time);
    return std::nullopt;
  }
  if (end < start) builder_.log().Add(Counter::events_negative_dur);
  return Times{start, std::max<Ns>(end - start, 0)};
}

std::int64_t Records::CorrelationOf(std::int64_t id) const {
  if (id <= 0 || id >= std::int64_t{1} << 48) return -1;  // 0: made by no call.
  return (process_number_ & 0x3fff) << 48 | id;
}

ThreadId Records::ThreadOf(StringId name) {
  return builder_.AddThread(process_, builder_.Name(name));
}

std::string_view Records::NameOf(Operation operation) const {
  const auto [kind, number] = operation;
  if (kind < 0 || static_cast<std::size_t>(kind) >= kinds_.size()) return {};
  const auto& names = kinds_[static_cast<std::size_t>(kind)].operations;
  if (number < 0 || static_cast<std::size_t>(number) >= names.size()) return {};
  return names[static_cast<std::size_t>(number)];
}

std::string_view Records::CountedNameOf(Operation operation) {
  const std::string_view name = NameOf(operation);
  auto& [all, nameless, first] = named_operations_;
  ++all;
  if (name.empty() && nameless++ == 0) {
    first = fmt::format("operation {} of kind {}", operation.number, operation.kind);
  }
  return name;
}

Records::Agent* Records::AgentOf(std::int64_t handle) {
  const auto found = agents_.find(handle);
  if (found == agents_.end()) return nullptr;
  found->second.used = true;
  return &found->second;
}

void Records::AddKernel(const JsonRow& row) {
  Kernel kernel;
  kernel.start = TimeIn(row, "start_timestamp");
  kernel.end = TimeIn(row, "end_timestamp");
  kernel.kernel = row.Integer("dispatch_info.kernel_id").value_or(-1);
  kernel.agent = row.Integer("dispatch_info.agent_id.handle").value_or(-1);
  // Files from before ROCm 6.4 name the hardware queue only.
  const auto stream = row.Integer("stream_id.handle");
  if (!stream) builder_.StreamsMayOverlap();  // Several share a queue.
  kernel.stream = stream ? *stream : row.Integer("dispatch_info.queue_id.handle").value_or(-1);
  kernel.correlation = row.Integer(kCorrelation).value_or(0);
  kernel.shared_memory = row.Integer("dispatch_info.group_segment_size").value_or(-1);
  static constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const auto group =
        Small(row.Integer(fmt::format("dispatch_info.workgroup_size.{}", kAxes[axis])), 0);
    const auto grid =
        row.Integer(fmt::format("dispatch_info.grid_size.{}", kAxes[axis])).value_or(0);
    if (group <= 0 || grid <= 0 || grid > kMaxTime) break;
    // The grid counts work items.
    kernel.block[axis] = group;
    kernel.grid[axis] = Small((grid + group - 1) / group);
  }
  if (known_.agents && known_.symbols) return Place(kernel);
  kernels_.push_back(kernel);
}

void Records::Place(const Kernel& kernel) {
  const auto times = TimesOf(kernel.start, kernel.end);
  if (!times) return;
  const auto symbol = symbols_.find(kernel.kernel);
  const Symbol* const known = symbol == symbols_.end() ? nullptr : &symbol->second;
  ++named_kernels_.all;
  if (!known && named_kernels_.nameless++ == 0) {
    named_kernels_.first = fmt::format("kernel {}", kernel.kernel);
  }
  const Agent* const agent = AgentOf(kernel.agent);
  DeviceRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.name =
      known ? known->name : builder_.Intern(fmt::format("(unnamed kernel {})", kernel.kernel));
  if (agent) out.gpu = agent->gpu.id;
  out.stream = kernel.stream;
  out.correlation = CorrelationOf(kernel.correlation);
  out.config = ConfigOf(kernel, agent ? &agent->gpu : nullptr, known);
  builder_.AddDevice(out);
}

LaunchConfigId Records::ConfigOf(const Kernel& kernel, const Gpu* gpu, const Symbol* symbol) {
  LaunchConfig config;
  double blocks = 1, threads = 1;
  for (std::size_t axis = 0; axis < std::size(kernel.block); ++axis) {
    if (kernel.block[axis] <= 0) return {};
    config.block[axis] = kernel.block[axis];
    config.grid[axis] = kernel.grid[axis];
    blocks *= config.grid[axis];
    threads *= config.block[axis];
  }
  config.shared_memory = kernel.shared_memory;
  if (symbol) config.registers = symbol->registers;
  if (gpu && gpu->sms > 0) {
    config.blocks_per_sm = blocks / gpu->sms;
    if (gpu->warp_size > 0) config.warps_per_sm = config.blocks_per_sm * threads / gpu->warp_size;
  }
  return builder_.AddLaunchConfig(config);
}

void Records::AddCopy(const JsonRow& row) {
  Copy copy;
  copy.start = TimeIn(row, "start_timestamp");
  copy.end = TimeIn(row, "end_timestamp");
  copy.from = row.Integer("src_agent_id.handle").value_or(-1);
  copy.to = row.Integer("dst_agent_id.handle").value_or(-1);
  copy.stream = row.Integer("stream_id.handle").value_or(-1);
  copy.correlation = row.Integer(kCorrelation).value_or(0);
  copy.bytes = row.Integer("bytes").value_or(-1);
  copy.operation = {Small(row.Integer("kind")), Small(row.Integer("operation"))};
  if (known_.agents && known_.kinds) return Place(copy);
  copies_.push_back(copy);
}

void Records::Place(const Copy& copy) {
  const auto times = TimesOf(copy.start, copy.end);
  if (!times) return;
  DeviceRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.kind = DeviceKind::kMemcpy;
  const auto operation = CountedNameOf(copy.operation);
  out.name = builder_.Intern(operation.empty() ? "MEMORY_COPY" : operation);
  out.copy = CopyOf(operation);
  const Agent* const from = AgentOf(copy.from);
  const Agent* const to = AgentOf(copy.to);
  if (out.copy == CopyKind::kDeviceToDevice && from && to && from != to) {
    out.copy = CopyKind::kPeerToPeer;
  }
  if (const Agent* const agent = from ? from : to) out.gpu = agent->gpu.id;
  out.stream = copy.stream;
  out.correlation = CorrelationOf(copy.correlation);
  out.bytes = copy.bytes;
  builder_.AddDevice(out);
}

void Records::AddCall(const JsonRow& row, bool rccl) {
  Call call;
  call.start = TimeIn(row, "start_timestamp");
  call.end = TimeIn(row, "end_timestamp");
  call.correlation = row.Integer(kCorrelation).value_or(0);
  call.operation = {Small(row.Integer("kind")), Small(row.Integer("operation"))};
  call.thread = ThreadName(row);
  call.is_rccl = rccl;
  if (known_.pid && known_.kinds) return Place(call);
  calls_.push_back(call);
}

void Records::Place(const Call& call) {
  const auto times = TimesOf(call.start, call.end);
  if (!times) return;
  const auto name = CountedNameOf(call.operation);
  const auto id = builder_.Intern(name.empty() ? "(unnamed call)" : name);
  if (call.is_rccl) {  // What launches the kernels of a collective stands inside of it.
    HostRow out;
    out.start = times->start;
    out.duration = times->duration;
    out.name = id;
    out.thread = ThreadOf(call.thread);
    return builder_.AddHost(out);
  }
  ApiRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.name = id;
  out.kind = ApiKindOf(name);
  out.thread = ThreadOf(call.thread);
  out.correlation = CorrelationOf(call.correlation);
  builder_.AddApi(out);
}

void Records::AddMarker(const JsonRow& row) {
  Marker marker;
  marker.start = TimeIn(row, "start_timestamp");
  marker.end = TimeIn(row, "end_timestamp");
  marker.message = row.Integer(kCorrelation).value_or(-1);
  marker.operation = {Small(row.Integer("kind")), Small(row.Integer("operation"))};
  marker.thread = ThreadName(row);
  if (known_.pid && known_.kinds && known_.messages) return Place(marker);
  markers_.push_back(marker);
}

void Records::Place(const Marker& marker) {
  const auto message = messages_.find(marker.message);
  const auto operation = NameOf(marker.operation);
  // Pausing, naming threads and the like are calls without a range.
  if (message == messages_.end() || operation.find("Name") != std::string_view::npos ||
      operation.find("Profiler") != std::string_view::npos) {
    return builder_.log().Add(Counter::events_ignored_kind);
  }
  const auto times = TimesOf(marker.start, marker.end);
  if (!times) return;
  const auto range = ParseRangeText(message->second, "");
  HostRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.name = builder_.Intern(range.name);
  out.kind = HostKindOf(range.kind);
  out.thread = ThreadOf(marker.thread);
  out.sequence = range.sequence;
  out.backward = range.is_backward;
  if (!range.input_shapes.empty()) out.input_shapes = builder_.Intern(range.input_shapes);
  builder_.AddHost(out);
}

// Names tell computation from communication and launches from waits.
void Records::TellOfNameless(const Named& named, std::string_view what) {
  constexpr std::uint64_t kOneOf = 100;
  if (named.nameless == 0) return;
  const bool are_many = named.nameless * kOneOf > named.all;
  builder_.log().AddAt(are_many ? Counter::rows_unusable : Counter::profiler_warnings,
                       fmt::format("{} of {} {} have no name in the file, the first `{}`",
                                   named.nameless, named.all, what, named.first));
}

void Records::Finish() {
  EndProcess();  // Of a file that is cut off.
  // A few chosen kernels leave the others as they were.
  constexpr std::uint64_t kOneOf = 10;
  if (counted_ * kOneOf > dispatches_) {
    builder_.log().AddAt(Counter::kernels_serialized, std::string(kCounters));
    builder_.log().Add(Counter::kernels_serialized, counted_ - 1);
  }
  TellOfNameless(named_kernels_, "kernels");
  TellOfNameless(named_operations_, "calls and copies");
  std::vector<const Agent*> agents;
  for (const auto& [handle, agent] : agents_) agents.push_back(&agent);
  const bool any =
      std::any_of(agents.begin(), agents.end(), [](auto* agent) { return agent->used; });
  std::erase_if(agents, [&](const Agent* agent) { return any && !agent->used; });
  std::sort(agents.begin(), agents.end(),
            [](const Agent* a, const Agent* b) { return a->gpu.id < b->gpu.id; });
  for (const Agent* agent : agents) builder_.AddGpu(agent->gpu);
}

}  // namespace profgauge::readers::rocprofv3
