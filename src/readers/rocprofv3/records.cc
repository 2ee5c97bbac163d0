#include "readers/rocprofv3/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "readers/text/names.h"
#include "readers/text/numbers.h"
#include "readers/text/nvtx_text.h"

namespace profgauge::readers::rocprofv3 {
namespace {

constexpr std::string_view kRoot = "rocprofiler-sdk-tool.";
constexpr std::int64_t kGpuType = 2;

std::int32_t Small(std::optional<std::int64_t> value, std::int32_t otherwise = -1) {
  const bool fits = value && *value >= 0 && *value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(*value) : otherwise;
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
         list == "strings.marker_api" || list.starts_with("buffer_records.");
}

void Records::ReceiveScalar(const JsonField& field) {
  if (field.path == "rocprofiler-sdk-tool.metadata.pid") BeginProcess(field.text);
}

// Ids are those of one process.
void Records::BeginProcess(std::string_view pid) {
  process_ = pid;
  ++process_number_;
  symbols_.clear();
  messages_.clear();
  kinds_.clear();
}

void Records::Receive(std::string_view list, const JsonRow& row) {
  list.remove_prefix(kRoot.size());
  if (list == "agents") return AddAgent(row);
  if (list == "kernel_symbols") return AddSymbol(row);
  if (list == "strings.buffer_records") return AddKind(row);
  if (list == "strings.marker_api") {
    if (const auto key = row.Integer("key")) messages_[*key] = row.Text("value");
    return;
  }
  list.remove_prefix(std::string_view("buffer_records.").size());
  builder_.log().Add(Counter::events_read);
  if (list == "kernel_dispatch") return AddKernel(row);
  if (list == "memory_copy") return AddCopy(row);
  if (list == "hip_api" || list == "hsa_api") return AddCall(row, false);
  if (list == "rccl_api") return AddCall(row, true);
  if (list == "marker_api") return AddMarker(row);
  builder_.log().Add(Counter::events_ignored_kind);
}

void Records::AddAgent(const JsonRow& row) {
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
  const auto id = row.Integer("kernel_id");
  auto name = row.Text("formatted_kernel_name");
  if (name.empty()) name = row.Text("kernel_name");
  if (!id || name.empty()) return;
  symbols_[*id] = {builder_.Intern(name), Small(row.Integer("arch_vgpr_count"))};
}

void Records::AddKind(const JsonRow& row) {
  Kind kind;
  kind.name = row.Text("kind");
  for (const auto& field : row.fields()) {
    if (field.path == "operations") kind.operations.emplace_back(field.text);
  }
  kinds_.push_back(std::move(kind));
}

std::optional<Records::Times> Records::TimesOf(const JsonRow& row) {
  const auto start = row.Integer("start_timestamp"), end = row.Integer("end_timestamp");
  // A record without a time of its own says 0.
  if (!start || !end || *start <= 0 || *end <= 0 || *start > kMaxTime || *end > kMaxTime) {
    builder_.log().Add(Counter::events_bad_time);
    return std::nullopt;
  }
  if (*end < *start) builder_.log().Add(Counter::events_negative_dur);
  return Times{*start, std::max<Ns>(*end - *start, 0)};
}

std::int64_t Records::CorrelationOf(const JsonRow& row) const {
  const auto id = row.Integer("correlation_id.internal").value_or(0);
  if (id <= 0 || id >= std::int64_t{1} << 48) return -1;  // 0: made by no call.
  return (std::max<std::int64_t>(process_number_, 0) & 0x3fff) << 48 | id;
}

ThreadId Records::ThreadOf(const JsonRow& row) {
  return builder_.AddThread(process_, row.Text("thread_id"));
}

std::string_view Records::OperationOf(const JsonRow& row) const {
  const auto kind = row.Integer("kind").value_or(-1),
             operation = row.Integer("operation").value_or(-1);
  if (kind < 0 || static_cast<std::size_t>(kind) >= kinds_.size()) return {};
  const auto& names = kinds_[static_cast<std::size_t>(kind)].operations;
  if (operation < 0 || static_cast<std::size_t>(operation) >= names.size()) return {};
  return names[static_cast<std::size_t>(operation)];
}

Records::Agent* Records::AgentOf(const JsonRow& row, std::string_view path) {
  const auto found = agents_.find(row.Integer(path).value_or(-1));
  if (found == agents_.end()) return nullptr;
  found->second.used = true;
  return &found->second;
}

void Records::AddKernel(const JsonRow& row) {
  const auto times = TimesOf(row);
  if (!times) return;
  const auto kernel = row.Integer("dispatch_info.kernel_id").value_or(-1);
  const auto symbol = symbols_.find(kernel);
  const Symbol* const known = symbol == symbols_.end() ? nullptr : &symbol->second;
  const Agent* const agent = AgentOf(row, "dispatch_info.agent_id.handle");
  DeviceRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.name = known ? known->name : builder_.Intern(fmt::format("kernel {}", kernel));
  if (agent) out.gpu = agent->gpu.id;
  // Files from before ROCm 6.4 name the hardware queue only.
  out.stream = row.Integer("stream_id.handle")
                   .value_or(row.Integer("dispatch_info.queue_id.handle").value_or(-1));
  out.correlation = CorrelationOf(row);
  out.config = ConfigOf(row, agent ? &agent->gpu : nullptr, known);
  builder_.AddDevice(out);
}

LaunchConfigId Records::ConfigOf(const JsonRow& row, const Gpu* gpu, const Symbol* symbol) {
  LaunchConfig config;
  double blocks = 1, threads = 1;
  static constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const auto group =
        Small(row.Integer(fmt::format("dispatch_info.workgroup_size.{}", kAxes[axis])), 0);
    const auto grid =
        row.Integer(fmt::format("dispatch_info.grid_size.{}", kAxes[axis])).value_or(0);
    if (group <= 0 || grid <= 0 || grid > kMaxTime) return {};
    // The grid counts work items.
    config.block[axis] = group;
    config.grid[axis] = Small((grid + group - 1) / group);
    blocks *= config.grid[axis];
    threads *= group;
  }
  config.shared_memory = row.Integer("dispatch_info.group_segment_size").value_or(-1);
  if (symbol) config.registers = symbol->registers;
  if (gpu && gpu->sms > 0) {
    config.blocks_per_sm = blocks / gpu->sms;
    if (gpu->warp_size > 0) config.warps_per_sm = config.blocks_per_sm * threads / gpu->warp_size;
  }
  return builder_.AddLaunchConfig(config);
}

void Records::AddCopy(const JsonRow& row) {
  const auto times = TimesOf(row);
  if (!times) return;
  DeviceRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.kind = DeviceKind::kMemcpy;
  const auto operation = OperationOf(row);
  out.name = builder_.Intern(operation.empty() ? "MEMORY_COPY" : operation);
  out.copy = CopyOf(operation);
  const Agent* const from = AgentOf(row, "src_agent_id.handle");
  const Agent* const to = AgentOf(row, "dst_agent_id.handle");
  if (out.copy == CopyKind::kDeviceToDevice && from && to && from != to) {
    out.copy = CopyKind::kPeerToPeer;
  }
  if (const Agent* const agent = from ? from : to) out.gpu = agent->gpu.id;
  out.stream = row.Integer("stream_id.handle").value_or(-1);
  out.correlation = CorrelationOf(row);
  out.bytes = row.Integer("bytes").value_or(-1);
  builder_.AddDevice(out);
}

void Records::AddCall(const JsonRow& row, bool rccl) {
  const auto times = TimesOf(row);
  if (!times) return;
  const auto name = OperationOf(row);
  const auto id = builder_.Intern(name.empty() ? "(unnamed call)" : name);
  if (rccl) {  // What launches the kernels of a collective stands inside of it.
    HostRow out;
    out.start = times->start;
    out.duration = times->duration;
    out.name = id;
    out.thread = ThreadOf(row);
    return builder_.AddHost(out);
  }
  ApiRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.name = id;
  out.kind = ApiKindOf(name);
  out.thread = ThreadOf(row);
  out.correlation = CorrelationOf(row);
  builder_.AddApi(out);
}

void Records::AddMarker(const JsonRow& row) {
  const auto message = messages_.find(row.Integer("correlation_id.internal").value_or(-1));
  const auto operation = OperationOf(row);
  // Pausing, naming threads and the like are calls without a range.
  if (message == messages_.end() || operation.find("Name") != std::string_view::npos ||
      operation.find("Profiler") != std::string_view::npos) {
    return builder_.log().Add(Counter::events_ignored_kind);
  }
  const auto times = TimesOf(row);
  if (!times) return;
  const auto range = ParseRangeText(message->second, "");
  HostRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.name = builder_.Intern(range.name);
  out.kind = HostKindOf(range.kind);
  out.thread = ThreadOf(row);
  out.sequence = range.sequence;
  out.backward = range.is_backward;
  if (!range.input_shapes.empty()) out.input_shapes = builder_.Intern(range.input_shapes);
  builder_.AddHost(out);
}

void Records::Finish() {
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
