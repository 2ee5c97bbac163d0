#include "readers/rocprofv3/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "base/whole.h"
#include "knowledge/loss.h"
#include "readers/text/names.h"
#include "readers/text/numbers.h"
#include "readers/text/nvtx_text.h"

namespace profgauge::readers::rocprofv3 {
namespace {

enum class AgentType : std::int64_t { kGpu = 2 };  // rocprofiler_agent_type_t.

/// Finds the kind of a copy by the end of "MEMORY_COPY_HOST_TO_DEVICE".
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

}  // namespace

std::int32_t SmallOf(std::optional<std::int64_t> value, std::int32_t otherwise) {
  return value && *value >= 0 ? Narrow(*value, otherwise) : otherwise;
}

bool SetAxis(Kernel& kernel, std::size_t axis, std::int64_t group, std::int64_t items) {
  const std::int32_t size = SmallOf(group, 0);
  if (size <= 0 || items <= 0 || items > kMaxTime) return false;
  kernel.block[axis] = size;
  kernel.grid[axis] = SmallOf((items + size - 1) / size);
  return true;
}

std::optional<Gpu> GpuOf(const JsonRow& agent) {
  if (agent.Integer("type") != static_cast<std::int64_t>(AgentType::kGpu)) return std::nullopt;
  Gpu gpu;
  gpu.id = SmallOf(agent.Integer("logical_node_type_id"), SmallOf(agent.Integer("node_id")));
  gpu.name = agent.Text("product_name");
  if (gpu.name.empty()) gpu.name = agent.Text("name");
  gpu.sms = SmallOf(agent.Integer("cu_count"));
  gpu.warp_size = SmallOf(agent.Integer("wave_front_size"));
  gpu.memory = agent.Integer("mem_banks.size_in_bytes").value_or(-1);
  const auto waves = SmallOf(agent.Integer("max_waves_per_cu"));
  if (waves > 0 && waves < 1024 && gpu.warp_size > 0 && gpu.warp_size <= 64) {
    gpu.max_threads_per_sm = waves * gpu.warp_size;
  }
  // 90500 means gfx950, version 9.5.
  if (const auto version = SmallOf(agent.Integer("gfx_target_version")); version > 0) {
    gpu.compute_major = version / 10000;
    gpu.compute_minor = version / 100 % 100;
  }
  return gpu;
}

void Rows::AddGpu(std::int64_t id, Gpu gpu) { agents_.emplace(id, Agent{std::move(gpu)}); }

void Rows::AddSymbol(std::int64_t id, std::string_view name, std::int32_t registers) {
  symbols_[id] = {builder_.Intern(name), registers};
}

void Rows::EndProcess() {
  symbols_.clear();
  ++process_number_;
}

std::optional<Times> Rows::TimesOf(std::int64_t start, std::int64_t end) {
  // A record whose time is missing has the time 0.
  if (start <= 0 || end <= 0 || start > kMaxTime || end > kMaxTime) {
    builder_.log().Add(Counter::events_bad_time);
    return std::nullopt;
  }
  if (end < start) builder_.log().Add(Counter::events_negative_dur);
  return Times{start, std::max<Ns>(end - start, 0)};
}

// Makes an id unique: bits 48 to 61 are the number of the process, the lower ones the file's id.
std::int64_t Rows::CorrelationOf(std::int64_t id) const {
  if (id <= 0 || id >= std::int64_t{1} << 48) return -1;  // 0: made by no call.
  return (process_number_ & 0x3fff) << 48 | id;
}

Rows::Agent* Rows::AgentOf(std::int64_t id) {
  const auto found = agents_.find(id);
  if (found == agents_.end()) return nullptr;
  found->second.used = true;
  return &found->second;
}

void Rows::Add(const Kernel& kernel) {
  ++dispatches_;
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

// Uses all three axes or none: with only some of them, a launch would look like another one.
LaunchConfigId Rows::ConfigOf(const Kernel& kernel, const Gpu* gpu, const Symbol* symbol) {
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

// Adds a copy on the GPU of its source, or else of its destination, because hosts are no agents in
// the table. A device-to-device copy between two GPUs is a peer-to-peer copy.
void Rows::Add(const Copy& copy, std::string_view name) {
  const auto times = TimesOf(copy.start, copy.end);
  if (!times) return;
  DeviceRow out;
  out.start = times->start;
  out.duration = times->duration;
  out.kind = DeviceKind::kMemcpy;
  out.name = builder_.Intern(name.empty() ? "MEMORY_COPY" : name);
  out.copy = CopyOf(name);
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

void Rows::AddCall(const Times& times, std::string_view name, ThreadId thread,
                   std::int64_t correlation) {
  ApiRow out;
  out.start = times.start;
  out.duration = times.duration;
  out.name = builder_.Intern(name.empty() ? "(unnamed call)" : name);
  out.kind = ApiKindOf(name);
  out.thread = thread;
  out.correlation = CorrelationOf(correlation);
  builder_.AddApi(out);
}

// Adds the call as a host range, like PyTorch's c10d ranges, so that its kernels have an operator.
void Rows::AddRcclCall(const Times& times, std::string_view name, ThreadId thread) {
  HostRow out;
  out.start = times.start;
  out.duration = times.duration;
  out.name = builder_.Intern(name.empty() ? "(unnamed call)" : name);
  out.thread = thread;
  builder_.AddHost(out);
}

void Rows::AddRange(const Times& times, std::string_view text, ThreadId thread) {
  const auto range = ParseRangeText(text, "");
  HostRow out;
  out.start = times.start;
  out.duration = times.duration;
  out.name = builder_.Intern(range.name);
  out.kind = HostKindOf(range.kind);
  out.thread = thread;
  out.sequence = range.sequence;
  out.backward = range.is_backward;
  if (!range.input_shapes.empty()) out.input_shapes = builder_.Intern(range.input_shapes);
  builder_.AddHost(out);
}

// Warns of records without a name, because names identify communication, launches and waits.
void Rows::TellOfNameless(const Named& named, std::string_view what) {
  if (named.nameless == 0) return;
  const bool are_many = named.nameless > knowledge::kLossUnusableShare.Of(named.all);
  builder_.log().AddAt(are_many ? Counter::rows_unusable : Counter::profiler_warnings,
                       fmt::format("{} of {} {} have no name in the file, e.g. `{}`",
                                   named.nameless, named.all, what, named.first));
}

// If most kernels have counters, the runtime ran the kernels one by one.
void Rows::Finish() {
  if (counted_ > knowledge::kLossCountedShare.Of(dispatches_)) {
    builder_.log().AddAt(Counter::kernels_serialized, "counters of kernels");
    builder_.log().Add(Counter::kernels_serialized, counted_ - 1);
  }
  TellOfNameless(named_kernels_, "kernels");
  TellOfNameless(named_operations_, "calls and copies");
  std::vector<const Agent*> agents;
  for (const auto& [id, agent] : agents_) agents.push_back(&agent);
  const bool any =
      std::any_of(agents.begin(), agents.end(), [](auto* agent) { return agent->used; });
  std::erase_if(agents, [&](const Agent* agent) { return any && !agent->used; });
  std::sort(agents.begin(), agents.end(), [](const Agent* a, const Agent* b) {
    return std::tuple(a->gpu.id, a->gpu.name) < std::tuple(b->gpu.id, b->gpu.name);
  });
  for (const Agent* agent : agents) builder_.AddGpu(agent->gpu);
}

}  // namespace profgauge::readers::rocprofv3
