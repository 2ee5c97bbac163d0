#include "readers/rocprofv3/records.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace profgauge::readers::rocprofv3 {
namespace {

constexpr std::string_view kRoot = "rocprofiler-sdk-tool.";
/// The list with values of hardware counters of each kernel.
constexpr std::string_view kCounters = "callback_records.counter_collection";
constexpr std::string_view kCorrelation = "correlation_id.internal";
/// The time of a field; 0 if it is missing.
std::int64_t TimeIn(const JsonRow& row, std::string_view path) {
  return row.Integer(path).value_or(0);
}

}  // namespace

// Also reads the lists of other domains in buffer_records, to count their rows as ignored.
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
  // Frees records one by one, so that they do not use memory beside the profile's rows.
  for (; !waiting.empty(); waiting.pop_front()) Place(waiting.front());
}

// Places all waiting records. Ids are unique only in one process.
void Records::EndProcess() {
  PlaceAll(kernels_);
  PlaceAll(copies_);
  PlaceAll(calls_);
  PlaceAll(markers_);
  rows_.EndProcess();
  messages_.clear();
  kinds_.clear();
  known_ = {};
  process_.clear();
}

// Handles one row. `list` is the path of its array in the file:
//
//   rocprofiler-sdk-tool.agents                            AddAgent
//   rocprofiler-sdk-tool.kernel_symbols                    AddSymbol
//   rocprofiler-sdk-tool.buffer_records.kernel_dispatch    AddKernel
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
  if (list == kCounters) return rows_.AddCounted(1);
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
  known_.agents = true;
  const auto handle = row.Integer("id.handle");
  auto gpu = handle ? GpuOf(row) : std::nullopt;
  if (gpu) rows_.AddGpu(*handle, *std::move(gpu));
}

void Records::AddSymbol(const JsonRow& row) {
  known_.symbols = true;
  const auto id = row.Integer("kernel_id");
  auto name = row.Text("formatted_kernel_name");
  if (name.empty()) name = row.Text("kernel_name");
  if (!id || name.empty()) return;
  rows_.AddSymbol(*id, name, SmallOf(row.Integer("arch_vgpr_count")));
}

// Adds a kind of operations. Records refer to kinds and operations by their positions in lists.
void Records::AddKind(const JsonRow& row) {
  known_.kinds = true;
  Kind kind;
  kind.name = row.Text("kind");
  for (const auto& field : row.fields()) {
    if (field.path == "operations") kind.operations.emplace_back(field.text);
  }
  kinds_.push_back(std::move(kind));
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
  rows_.CountName(name, [&] {
    return fmt::format("operation {} of kind {}", operation.number, operation.kind);
  });
  return name;
}

// Adds a kernel, or lets it wait until the agents and symbols that it uses have been read.
void Records::AddKernel(const JsonRow& row) {
  Kernel kernel;
  kernel.start = TimeIn(row, "start_timestamp");
  kernel.end = TimeIn(row, "end_timestamp");
  kernel.kernel = row.Integer("dispatch_info.kernel_id").value_or(-1);
  kernel.agent = row.Integer("dispatch_info.agent_id.handle").value_or(-1);
  // Before ROCm 6.4, files have only the hardware queue.
  const auto stream = row.Integer("stream_id.handle");
  if (!stream) builder_.StreamsMayOverlap();  // Several streams share a queue.
  kernel.stream = stream ? *stream : row.Integer("dispatch_info.queue_id.handle").value_or(-1);
  kernel.correlation = row.Integer(kCorrelation).value_or(0);
  kernel.shared_memory = row.Integer("dispatch_info.group_segment_size").value_or(-1);
  static constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    const auto group = row.Integer(fmt::format("dispatch_info.workgroup_size.{}", kAxes[axis]));
    const auto items = row.Integer(fmt::format("dispatch_info.grid_size.{}", kAxes[axis]));
    if (!SetAxis(kernel, axis, group.value_or(0), items.value_or(0))) break;
  }
  if (known_.agents && known_.symbols) return Place(kernel);
  kernels_.push_back(kernel);
}

void Records::AddCopy(const JsonRow& row) {
  NamedCopy named;
  Copy& copy = named.copy;
  copy.start = TimeIn(row, "start_timestamp");
  copy.end = TimeIn(row, "end_timestamp");
  copy.from = row.Integer("src_agent_id.handle").value_or(-1);
  copy.to = row.Integer("dst_agent_id.handle").value_or(-1);
  copy.stream = row.Integer("stream_id.handle").value_or(-1);
  copy.correlation = row.Integer(kCorrelation).value_or(0);
  copy.bytes = row.Integer("bytes").value_or(-1);
  named.operation = {SmallOf(row.Integer("kind")), SmallOf(row.Integer("operation"))};
  if (known_.agents && known_.kinds) return Place(named);
  copies_.push_back(named);
}

void Records::Place(const NamedCopy& copy) { rows_.Add(copy.copy, CountedNameOf(copy.operation)); }

void Records::AddCall(const JsonRow& row, bool rccl) {
  Call call;
  call.start = TimeIn(row, "start_timestamp");
  call.end = TimeIn(row, "end_timestamp");
  call.correlation = row.Integer(kCorrelation).value_or(0);
  call.operation = {SmallOf(row.Integer("kind")), SmallOf(row.Integer("operation"))};
  call.thread = ThreadName(row);
  call.is_rccl = rccl;
  if (known_.pid && known_.kinds) return Place(call);
  calls_.push_back(call);
}

void Records::Place(const Call& call) {
  const auto times = rows_.TimesOf(call.start, call.end);
  if (!times) return;
  const auto name = CountedNameOf(call.operation);
  const ThreadId thread = ThreadOf(call.thread);
  if (call.is_rccl) return rows_.AddRcclCall(*times, name, thread);
  rows_.AddCall(*times, name, thread, call.correlation);
}

void Records::AddMarker(const JsonRow& row) {
  Marker marker;
  marker.start = TimeIn(row, "start_timestamp");
  marker.end = TimeIn(row, "end_timestamp");
  marker.message = row.Integer(kCorrelation).value_or(-1);
  marker.operation = {SmallOf(row.Integer("kind")), SmallOf(row.Integer("operation"))};
  marker.thread = ThreadName(row);
  if (known_.pid && known_.kinds && known_.messages) return Place(marker);
  markers_.push_back(marker);
}

void Records::Place(const Marker& marker) {
  const auto message = messages_.find(marker.message);
  const auto operation = NameOf(marker.operation);
  // Calls to pause or to name threads have no range.
  if (message == messages_.end() || operation.find("Name") != std::string_view::npos ||
      operation.find("Profiler") != std::string_view::npos) {
    return builder_.log().Add(Counter::events_ignored_kind);
  }
  const auto times = rows_.TimesOf(marker.start, marker.end);
  if (times) rows_.AddRange(*times, message->second, ThreadOf(marker.thread));
}

void Records::Finish() {
  EndProcess();  // Needed only for a truncated file.
  rows_.Finish();
}

}  // namespace profgauge::readers::rocprofv3
