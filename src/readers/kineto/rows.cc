#include "readers/kineto/rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/devices.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::kineto {
namespace {

// Ids are positive and below this limit in all known files. Numbers of GPUs are small.
constexpr int kIdBits = 48, kGpuBits = 16;
constexpr std::int64_t kLargestId = (std::int64_t{1} << kIdBits) - 1;
constexpr std::int32_t kLargestGpu = (std::int32_t{1} << kGpuBits) - 1;
constexpr std::int8_t kGpuMemory = 1;  // MemoryRow::device_type.
constexpr TraceNumber kMostTraces = (TraceNumber{1} << (63 - kIdBits)) - 1;

/// Maps the chunk's ids to those of the builder:
///   chunk   strings 0 "aten::mm"  1 "gemm"      rows name 0 and 1
///   builder strings 17 "aten::mm" 4 "gemm"      remap.strings = {17, 4}
///
/// Each text is looked up once per chunk, not once per row.
struct Remap {
  std::vector<StringId> strings;
  std::vector<ThreadId> threads;
  std::vector<LaunchConfigId> configs;
  std::vector<CollectiveId> collectives;
  std::vector<TraceNumber> traces;
  Traces* all_traces = nullptr;

  // Replaces the chunk's number of the trace, in the upper bits of the id, by the file's number.
  void Id(std::int64_t& id) const {
    const auto trace = static_cast<std::size_t>(id >> kIdBits);
    if (id <= kLargestId || trace > traces.size()) return;
    id = IdInTrace(id & kLargestId, traces[trace - 1]);
  }
  // Notes GPUs without a label as well, since labels may be in another chunk.
  void GpuNumber(std::int32_t& gpu) const {
    const auto trace = static_cast<std::size_t>(std::max(gpu, 0) >> kGpuBits);
    if (trace > 0 && trace <= traces.size()) {
      gpu = GpuInTrace(gpu & kLargestGpu, traces[trace - 1]);
    }
    all_traces->See(gpu);
  }

  // An invalid id is a missing value, and stays invalid.
  template <class Id>
  static void Apply(const std::vector<Id>& ids, Id& id) {
    if (id.valid()) id = ids[id.value];
  }
  void operator()(StringId& id) const { Apply(strings, id); }
  void operator()(ThreadId& id) const { Apply(threads, id); }
  void operator()(LaunchConfigId& id) const { Apply(configs, id); }
  void operator()(CollectiveId& id) const { Apply(collectives, id); }

  void operator()(HostRow& row) const {
    (*this)(row.name);
    (*this)(row.thread);
    (*this)(row.input_shapes);
    (*this)(row.input_dtypes);
    (*this)(row.call_stack);
    (*this)(row.concrete_inputs);
    (*this)(row.collective);
    Id(row.id);
  }
  void operator()(ApiRow& row) const {
    (*this)(row.name);
    (*this)(row.thread);
    Id(row.correlation);
    Id(row.op_id);
  }
  void operator()(DeviceRow& row) const {
    (*this)(row.name);
    (*this)(row.config);
    (*this)(row.collective);
    Id(row.correlation);
    Id(row.op_id);
    GpuNumber(row.gpu);
  }
  void operator()(StreamRow& row) const {
    (*this)(row.name);
    GpuNumber(row.gpu);
  }
  void operator()(MemoryRow& row) const {
    (*this)(row.thread);
    if (row.device_type == kGpuMemory) GpuNumber(row.device);
  }
  void operator()(FlowRow& row) const {
    (*this)(row.thread);
    Id(row.id);
  }
  void operator()(LaunchArrow& row) const {
    (*this)(row.thread);
    Id(row.id);
    GpuNumber(row.gpu);
  }
  void operator()(PythonRow& row) const {
    (*this)(row.name);
    (*this)(row.thread);
  }
  void operator()(SyncRow& row) const { (*this)(row.row); }
  void operator()(RangeRow& row) const { (*this)(row.row); }
  void operator()(std::monostate) const {}
};

Remap MakeRemap(const Rows& rows, ProfileBuilder& builder, Traces& traces) {
  Remap remap;
  remap.all_traces = &traces;
  for (const StringId label : rows.traces) {
    remap.traces.push_back(traces.NumberOf(rows.strings[label.value]));
  }
  for (const auto text : rows.strings) remap.strings.push_back(builder.Intern(text));
  for (const auto& [process, thread] : rows.threads) {
    remap.threads.push_back(
        builder.AddThread(rows.strings[process.value], rows.strings[thread.value]));
  }
  for (const auto& config : rows.configs) remap.configs.push_back(builder.AddLaunchConfig(config));
  for (auto collective : rows.collectives) {
    remap(collective.name);
    remap(collective.dtype);
    remap(collective.group);
    remap(collective.description);
    remap.collectives.push_back(builder.AddCollective(collective));
  }
  return remap;
}

void MergeNames(const Rows& rows, ProfileBuilder& builder) {
  for (const auto& row : rows.names) {
    const auto process = rows.strings[row.process.value];
    const auto name = rows.strings[row.name.value];
    if (row.thread.valid()) {
      builder.NameThread(process, rows.strings[row.thread.value], name);
    } else {
      builder.NameProcess(process, name);
    }
  }
}

}  // namespace

std::int64_t IdInTrace(std::int64_t id, TraceNumber trace) {
  const bool fits = trace <= kMostTraces && id >= 0 && id <= kLargestId;
  return fits ? id | std::int64_t{trace} << kIdBits : id;
}

std::int32_t GpuInTrace(std::int32_t gpu, TraceNumber trace) {
  const bool fits = trace <= (kMostTraces >> 1) && gpu >= 0 && gpu <= kLargestGpu;
  return fits ? gpu | static_cast<std::int32_t>(trace) << kGpuBits : gpu;
}

TraceNumber Traces::NumberOf(std::string_view label) {
  const auto found = numbers_.find(label);
  if (found != numbers_.end()) return found->second;
  const auto next = static_cast<TraceNumber>(numbers_.size()) + 1;
  return numbers_.emplace(std::string(label), next).first->second;
}

std::vector<std::int32_t> Traces::InOrderOfLabels() const {
  using Place = std::tuple<std::size_t, std::string_view, std::int32_t>;
  std::map<TraceNumber, std::string_view> labels;
  for (const auto& [label, trace] : numbers_) labels[trace] = label;
  std::vector<std::pair<Place, std::int32_t>> placed;
  for (const std::int32_t gpu : gpus_) {
    if (gpu < 0) continue;
    const std::string_view label = labels[static_cast<TraceNumber>(gpu >> kGpuBits)];
    placed.push_back({{label.size(), label, gpu & kLargestGpu}, gpu});
  }
  std::sort(placed.begin(), placed.end());
  std::vector<std::int32_t> ordered;
  for (const auto& [place, gpu] : placed) ordered.push_back(gpu);
  return ordered;
}

// Numbers GPUs in the order of labels, not of appearance: "rank 2" is before "rank 10".
void Traces::NumberGpus(ProfileBuilder& builder) const {
  if (numbers_.empty()) return;
  std::set<std::int32_t> own;
  std::size_t seen = 0;
  for (const std::int32_t gpu : gpus_) {
    if (gpu < 0) continue;
    own.insert(gpu & kLargestGpu);
    ++seen;
  }
  const bool are_apart = own.size() == seen;
  std::map<std::int32_t, NewGpu> numbers;
  for (const std::int32_t gpu : InOrderOfLabels()) {
    const auto next = static_cast<std::int32_t>(numbers.size());
    const std::int32_t number = gpu & kLargestGpu;
    numbers[gpu] = {are_apart ? number : next, number};
  }
  builder.RenumberGpus(numbers);
  std::map<TraceNumber, std::int64_t> ranks;
  for (const auto& [label, trace] : numbers_) {
    if (!label.starts_with(kRankLabel)) continue;
    if (const auto rank = ParseInteger(std::string_view(label).substr(kRankLabel.size()))) {
      ranks.emplace(trace, *rank);
    }
  }
  for (const auto& [gpu, made] : numbers) {
    const auto rank = ranks.find(static_cast<TraceNumber>(gpu >> kGpuBits));
    if (rank != ranks.end()) builder.SetRankOfGpu(made.number, rank->second);
  }
}

void Rows::Clear() {
  strings.clear();
  traces.clear();
  threads.clear();
  configs.clear();
  collectives.clear();
  host.clear();
  api.clear();
  device.clear();
  sync.clear();
  device_ranges.clear();
  python.clear();
  memory.clear();
  flows.clear();
  arrows.clear();
  names.clear();
  apart.clear();
  counters.clear();
  samples.clear();
  unread_counters.clear();
  unread.clear();
  is_pytorch = false;
  has_names = false;
  seen.clear();
  phases.clear();
  bad_time.clear();
  rocm = false;
  maker = Accelerator::kUnknown;
  has_correlations = false;
  has_more_labels = false;
  launch_flows = 0;
  has_span = false;
  log = ImportLog{};
}

std::size_t Strings::Hash::operator()(std::string_view text) const {
  return XXH3_64bits(text.data(), text.size());
}

// A text from an earlier chunk is found, but gets a number in this chunk only with its first use
// here.
StringId Strings::Intern(std::string_view text) {
  auto found = entries_.find(text);
  if (found == entries_.end()) {
    const std::string_view stored = texts_.emplace_back(text);
    found = entries_.emplace(stored, Entry{}).first;
  }
  auto& entry = found->second;
  if (entry.chunk != chunk_) {
    entry.chunk = chunk_;
    entry.id = StringId{static_cast<std::uint32_t>(rows_->strings.size())};
    rows_->strings.push_back(found->first);
  }
  return entry.id;
}

void Merge(Rows& rows, ProfileBuilder& builder, PairedEvents& paired, Traces& traces) {
  const Remap remap = MakeRemap(rows, builder, traces);
  for (HostRow& row : rows.host) remap(row);
  builder.AddHost(rows.host);
  for (ApiRow& row : rows.api) remap(row);
  builder.AddApi(rows.api);
  for (DeviceRow& row : rows.device) remap(row);
  builder.AddDevice(rows.device);
  for (PythonRow& row : rows.python) remap(row);
  builder.AddPython(rows.python);
  for (MemoryRow& row : rows.memory) remap(row);
  builder.AddMemory(rows.memory);
  for (StreamRow& row : rows.sync) {
    remap(row);
    builder.AddSync(row);
  }
  for (StreamRow& row : rows.device_ranges) {
    remap(row);
    builder.AddDeviceRange(row);
  }
  for (ApartRow& row : rows.apart) {
    remap(row.process);
    remap(row.thread);
    std::visit([&](auto& begun) { remap(begun); }, row.row);
    paired.Add(std::move(row));
  }
  for (FlowRow& row : rows.flows) {
    remap(row);
    builder.AddFlow(row);
  }
  for (LaunchArrow& row : rows.arrows) {
    remap(row);
    builder.AddLaunchArrow(row);
  }
  MergeNames(rows, builder);
  if (rows.rocm) builder.ClipStreamOverlaps();
  if (rows.maker != Accelerator::kUnknown) {
    builder.source().accelerator = AcceleratorId(rows.maker);
  }
  if (rows.has_span) builder.SetSpan(rows.span_start, rows.span_duration);
  builder.log().Merge(rows.log);
}

}  // namespace profgauge::readers::kineto
