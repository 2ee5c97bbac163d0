#include "analysis/device/device_tables.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/device_columns.h"
#include "analysis/catalog/output.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/work_columns.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/name_memo.h"
#include "analysis/device/kernel_sums.h"
#include "analysis/device/memory_rows.h"
#include "analysis/device/queue.h"
#include "analysis/iterations/utilization.h"
#include "base/interval.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/launches.h"
#include "knowledge/memory.h"

namespace profgauge::analysis::device {
namespace {

struct GpuKernels {
  std::int64_t kernels = 0;
  Ns time = 0, tensor_core = 0;
};

// Sums the kernels of the selected iterations on one GPU.
GpuKernels KernelsOf(const iterations::RankContext& rank, std::int32_t gpu) {
  const DeviceTable& device = rank.profile->device;
  GpuKernels sums;
  const auto [begin, end] = classify::RowsOfGpu(device, gpu);
  for (std::uint32_t i = begin; i < end; ++i) {
    if (device.kind[i] != DeviceKind::kKernel || !rank.InIterations(DeviceId{i})) continue;
    ++sums.kernels;
    sums.time += device.duration[i];
    if (rank.classes[i].tensor_core == classify::Tri::kYes) sums.tensor_core += device.duration[i];
  }
  return sums;
}

// "8.0"; empty where it is unknown.
std::string CapabilityText(const Gpu& gpu) {
  if (gpu.compute_major < 0) return {};
  return fmt::format("{}.{}", gpu.compute_major, std::max(0, gpu.compute_minor));
}

// A number that the file does not contain (SMs, memory) is absent. In a file of durations only,
// numbers that need the times of GPU work are absent, too.
void AppendGpu(const iterations::RankContext& rank, const iterations::GpuUse& use,
               catalog::RowWriter<catalog::columns::kGpus>& write) {
  const Gpu* const found = classify::FindGpu(rank.devices, use.gpu);
  const Gpu gpu = found == nullptr ? Gpu{} : *found;
  const GpuKernels sums = KernelsOf(rank, use.gpu);
  // A file of durations only does not show when the GPU was busy.
  const bool timed = rank.profile->has_timeline;
  const auto if_timed = [&](double value) { return timed ? std::optional(value) : std::nullopt; };
  write.Integer("rank"_col, rank.rank)
      .Known("id"_col, use.gpu)
      .Text("name"_col, gpu.name)
      .Text("compute_capability"_col, CapabilityText(gpu))
      .Known("sms"_col, gpu.sms)
      .Known("memory"_col, gpu.memory)
      .Real("utilization"_col, if_timed(use.utilization()))
      .Real("idle"_col, if_timed(use.idle_share()))
      .Real("usual_idle"_col, use.idle_once > 0 ? if_timed(use.usual_idle_share()) : std::nullopt)
      .Real("sm_efficiency"_col, timed ? use.sm_efficiency : std::nullopt)
      .Real("occupancy"_col, use.occupancy)
      .Share("tensor_core_share"_col, sums.tensor_core, sums.time)
      .Integer("kernels"_col, sums.kernels)
      .Integer("kernel_time"_col, sums.time)
      .IntegerIf("wall_time"_col, timed, use.window);
}

struct StreamSums {
  std::int64_t kernels = 0, copies = 0;
  Ns kernel_time = 0, collective_time = 0, copy_time = 0;
  Ns busy = 0;          // In the window.
  ChosenRows launches;  // The first row of each launch.
};

// Sums one stream. A graph's kernels on a stream are consecutive, so comparing with the last launch
// finds each launch once. REQUIRES: rows [begin, end) are of one stream.
StreamSums SumStream(const iterations::RankContext& rank, std::size_t begin, std::size_t end) {
  const DeviceTable& device = rank.profile->device;
  StreamSums sums;
  const classify::DeviceRows rows = {static_cast<std::uint32_t>(begin),
                                     static_cast<std::uint32_t>(end)};
  sums.busy = classify::TimeWithin(device, rows, rank.window(), [](std::uint32_t) { return true; });
  ApiId last;
  for (std::size_t i = begin; i < end; ++i) {
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    const bool kernel = device.kind[i] == DeviceKind::kKernel;
    (kernel ? sums.kernels : sums.copies) += 1;
    (kernel ? sums.kernel_time : sums.copy_time) += device.duration[i];
    if (rank.classes[i].collective) sums.collective_time += device.duration[i];
    const ApiId launch = device.launch[i];
    // A graph is one launch with consecutive kernels.
    if (!launch.valid() || launch == last) continue;
    last = launch;
    sums.launches.Add(static_cast<std::uint32_t>(i));
  }
  return sums;
}

// Appends the columns from `launches` on.
void AppendQueue(const Profile& profile, const ChosenRows& rows,
                 catalog::RowWriter<catalog::columns::kStreams>& write) {
  const StreamItems items(profile, rows);
  const auto launches = static_cast<std::int64_t>(items.size());
  write.Integer("launches"_col, launches);
  if (launches == 0) {
    write.Absent("queue_empty_share"_col, "queue_mean"_col, "queue_max"_col,
                 "queue_full_share"_col);
    return;
  }
  std::int64_t into_empty = 0;
  ForEachLength(items, [&](std::int64_t length) { into_empty += length == 0 ? 1 : 0; });
  const QueueSums queue = SumQueue(items, knowledge::kLaunchesQueuePlaces.value());
  write.Share("queue_empty_share"_col, into_empty, launches)
      .Share("queue_mean"_col, queue.length, queue.events)
      .Integer("queue_max"_col, queue.longest)
      .Share("queue_full_share"_col, queue.full_time, queue.last - queue.first);
}

void AppendStreams(const iterations::RankContext& rank,
                   catalog::RowWriter<catalog::columns::kStreams>& write) {
  const DeviceTable& device = rank.profile->device;
  for (std::size_t i = 0; i < device.size();) {  // Rows are sorted by GPU and stream.
    const std::size_t begin = i;
    while (i < device.size() && device.gpu[i] == device.gpu[begin] &&
           device.stream[i] == device.stream[begin]) {
      ++i;
    }
    const StreamSums sums = SumStream(rank, begin, i);
    if (sums.kernels + sums.copies == 0) continue;
    const Ns window = rank.profile->has_timeline ? rank.window().length() : 0;
    write.Integer("rank"_col, rank.rank)
        .Known("gpu"_col, device.gpu[begin])
        .Known("stream"_col, device.stream[begin])
        .Integer("kernels"_col, sums.kernels)
        .Integer("copies"_col, sums.copies)
        .Integer("kernel_time"_col, sums.kernel_time)
        .Integer("collective_time"_col, sums.collective_time)
        .Integer("copy_time"_col, sums.copy_time)
        .Share("busy"_col, sums.busy, window);
    AppendQueue(*rank.profile, sums.launches, write);
  }
}

}  // namespace

void AddDeviceTables(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const iterations::RankContext& rank) {
    return rank.has_device();
  });
  if (!any) {
    out.SetTableAbsent("gpus", out.Gap(Capability::kDeviceEvents));
    out.SetTableAbsent("streams", out.Gap(Capability::kDeviceEvents));
    return;
  }
  catalog::RowWriter<catalog::columns::kGpus> gpus(out.AddTable("gpus"));
  for (const iterations::RankContext& rank : ranks) {
    for (const iterations::GpuUse& use : iterations::MeasureGpus(rank)) AppendGpu(rank, use, gpus);
  }
  catalog::RowWriter<catalog::columns::kStreams> streams(out.AddTable("streams"));
  for (const iterations::RankContext& rank : ranks) AppendStreams(rank, streams);
}

namespace {

// Indices of `rows` by time, longest first; equal ones by `name`, then by position.
template <class Rows, class TimeOf, class NameOf>
std::vector<std::uint32_t> ByTime(const Rows& rows, TimeOf time_of, NameOf name_of) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (time_of(a) != time_of(b)) return time_of(a) > time_of(b);
    return name_of(a) < name_of(b);
  });
  return order;
}

// Appends the cells of columns::kKernelSums.
template <class Writer>
void AppendSums(const KernelSums& sums, Writer& write) {
  write.Integer("calls"_col, sums.calls)
      .Integer("time"_col, sums.time)
      .Integer("mean"_col, sums.time / sums.calls)
      .Integer("min"_col, sums.min)
      .Integer("max"_col, sums.max)
      .Real("blocks_per_sm"_col, sums.blocks_per_sm.mean())
      .Real("occupancy"_col, sums.occupancy.mean())
      .Bool("is_collective"_col, sums.collective)
      .IntegerIf("exposed_time"_col, sums.collective, sums.exposed);
}

// The recorded bytes, or else those from shapes; -1 if both are unknown.
std::int64_t BytesOf(const KernelSums& sums) {
  const bool from_shapes =
      sums.bytes < 0 && sums.work_bytes >= 0 && sums.work_bytes < kLargestWhole;
  return from_shapes ? std::llround(sums.work_bytes) : sums.bytes;
}

// "[8, 1, 1]"; invalid where the grid is unknown.
StringId DimensionsText(const std::int32_t (&size)[3], StringPool& pool) {
  if (size[0] <= 0) return {};
  return pool.Intern(fmt::format("[{}, {}, {}]", size[0], size[1], size[2]));
}

// Sums by name over all ranks.
std::vector<KernelNameSum> PoolNames(std::span<const KernelFacts> ranks) {
  std::vector<KernelNameSum> pooled;
  boost::unordered_flat_map<std::string_view, std::size_t> known;
  for (const KernelFacts& rank : ranks) {
    for (const KernelNameSum& sum : rank.names) {
      const auto [at, is_new] = known.try_emplace(sum.name, pooled.size());
      if (is_new) pooled.push_back({sum.name, sum.rule, {}});
      KernelNameSum& row = pooled[at->second];
      if (row.sums.rule == 0) row.rule = sum.rule;
      Join(row.sums, sum.sums);
    }
  }
  return pooled;
}

// The table `kernels` from stored sums, so that profiles and summaries give the same rows.
void FillKernels(std::span<const KernelFacts> ranks, catalog::Output& out) {
  const std::vector<KernelNameSum> rows = PoolNames(ranks);
  Table& table = out.AddTable("kernels");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      rows, [&](std::uint32_t i) { return rows[i].sums.time; },
      [&](std::uint32_t i) { return rows[i].name; });
  catalog::RowWriter<catalog::columns::kKernels> write(table);
  for (const std::uint32_t i : order) {
    const KernelNameSum& row = rows[i];
    write.Text("name"_col, row.name)
        .Text("uses_tensor_core"_col, classify::TriName(row.sums.tensor_core))
        .Text("rule"_col, pool.Intern(row.rule));
    AppendSums(row.sums, write);
    write.Known("bytes"_col, row.sums.bytes)
        .Integer("outside"_col, row.sums.outside)
        .Integer("outside_calls"_col, row.sums.outside_calls);
  }
}

// Appends the columns from `op` to `tensor_core_eligible`.
void AppendOp(const KernelOpRow& row, StringPool& pool,
              catalog::RowWriter<catalog::columns::kKernelsByOp>& write) {
  const StringId op = row.key.op;
  write.Text("op"_col, op)
      .Text("op_type"_col, op.valid() ? pool.Intern(flops::OpType(pool[op])) : StringId{})
      .Text("dtype"_col, row.dtype)
      .IntegerIf("tensor_core_eligible"_col, row.eligible != classify::Tri::kUnknown,
                 row.eligible == classify::Tri::kYes ? 1 : 0);
}

// Records which row counts each kernel. `order`: by row, the index in by_op.
void LinkRows(KernelCollector& collected, const std::vector<std::uint32_t>& order,
              catalog::Output& out) {
  std::vector<std::uint32_t> row_of(order.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) row_of[order[row]] = row;
  for (std::size_t rank = 0; rank < collected.op_row_of.size(); ++rank) {
    std::vector<std::uint32_t>& rows = out.RowsOfDevice("kernels_by_op", rank);
    rows = std::move(collected.op_row_of[rank]);
    for (std::uint32_t& row : rows) {
      row = row == KernelCollector::kNoRow ? catalog::Output::kNoRow : row_of[row];
    }
  }
}

// Fills the table of kernels under operators, and links events to rows for the exposures.
void FillKernelsByOp(KernelCollector& collected, std::span<const iterations::RankContext> ranks,
                     catalog::Output& out) {
  Table& table = out.AddTable("kernels_by_op");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      collected.by_op, [&](std::uint32_t i) { return collected.by_op[i].sums.time; },
      [&](std::uint32_t i) { return pool[collected.by_op[i].key.name]; });
  catalog::RowWriter<catalog::columns::kKernelsByOp> write(table);
  for (const std::uint32_t i : order) {
    const KernelOpRow& row = collected.by_op[i];
    const LaunchProperties& properties = collected.properties(row.key.config);
    write.Text("name"_col, row.key.name);
    AppendOp(row, pool, write);
    write.Text("uses_tensor_core"_col, classify::TriName(row.sums.tensor_core))
        .Text("rule"_col, pool.Intern(classify::RuleName(row.sums.rule, ranks.front().knowledge)))
        .Integer("rank"_col, ranks[row.key.rank].rank)
        .Known("gpu"_col, row.key.gpu)
        .Text("grid"_col, DimensionsText(properties.grid, pool))
        .Text("block"_col, DimensionsText(properties.block, pool))
        .Known("registers"_col, properties.registers)
        .Known("shared_memory"_col, properties.shared_memory);
    AppendSums(row.sums, write);
    write.Known("bytes"_col, BytesOf(row.sums)).KnownReal("flops"_col, row.sums.work_flops);
  }
  LinkRows(collected, order, out);
  if (!collected.any_op) {
    for (Column* column :
         {catalog::ColumnOf<catalog::columns::kKernelsByOp>(table, "op"_col),
          catalog::ColumnOf<catalog::columns::kKernelsByOp>(table, "op_type"_col)}) {
      column->MarkAbsent(out.Gap(Capability::kLaunchLinks));
    }
  }
  if (!collected.any_shape_types)
    catalog::ColumnOf<catalog::columns::kKernelsByOp>(table, "dtype"_col)
        ->MarkAbsent(out.Gap(Capability::kShapes));
}

void FillKernelsByIteration(KernelCollector& collected,
                            std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  if (!out.Wants("kernels_by_iteration")) return;
  Table& table = out.AddTable("kernels_by_iteration");
  StringPool& pool = out.strings();
  std::vector<KernelIterationRow>& rows = collected.by_iteration;
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const KernelIterationRow& a, const KernelIterationRow& b) {
                     if (a.rank != b.rank) return a.rank < b.rank;
                     if (a.iteration != b.iteration) return a.iteration < b.iteration;
                     if (a.time != b.time) return a.time > b.time;
                     return pool[a.name] < pool[b.name];
                   });
  catalog::RowWriter<catalog::columns::kKernelsByIteration> write(table);
  for (const KernelIterationRow& row : rows) {
    write.Integer("iteration"_col, row.iteration)
        .Integer("rank"_col, ranks[row.rank].rank)
        .Text("name"_col, row.name)
        .Text("uses_tensor_core"_col, classify::TriName(row.tensor_core))
        .Integer("calls"_col, row.calls)
        .Integer("time"_col, row.time);
  }
}

// Shares use the sums of all ranks, so a rank with more kernel time has more weight.
void SetMetrics(std::span<const KernelFacts> ranks, catalog::Output& out) {
  KernelFacts run;
  for (const KernelFacts& rank : ranks) {
    run.kernel_time += rank.kernel_time;
    run.short_time += rank.short_time;
    run.kernels_in_iterations += rank.kernels_in_iterations;
    run.iterations += rank.iterations;
    run.is_launched = run.is_launched || rank.is_launched;
  }
  out.Set(metric::kProfileKernelTime, run.kernel_time);
  if (run.kernel_time > 0) {
    out.Set(metric::kKernelShortShare,
            static_cast<double>(run.short_time) / static_cast<double>(run.kernel_time));
  } else {
    out.SetAbsent(metric::kKernelShortShare, "no kernel takes time");
  }
  // Kernels belong to the iteration that launched them, which requires links.
  if (run.kernels_in_iterations == 0 && !run.is_launched) {
    out.SetAbsent(metric::kKernelCountPerIteration, out.Gap(Capability::kLaunchLinks));
  } else if (run.iterations > 0) {
    out.Set(metric::kKernelCountPerIteration,
            static_cast<double>(run.kernels_in_iterations) / static_cast<double>(run.iterations));
  }
}

}  // namespace

// For a summary: drops rows by operator, and does not build rows by iteration.
KernelFacts KernelFactsOf(const iterations::RankContext& rank) {
  StringPool pool;
  KernelCollector collected(pool, false);
  collected.AddRank(rank, 0);
  return std::move(collected.facts.front());
}

namespace {

// Copies and memsets are device events, too: other options of the profiler show no kernel.
std::string WhyNoKernels(std::span<const KernelFacts> ranks, const catalog::Output& out) {
  const bool any = std::ranges::any_of(ranks, &KernelFacts::has_device);
  return any ? std::string(catalog::kNoKernelRan) : out.Gap(Capability::kDeviceEvents);
}

}  // namespace

void AddKernels(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  KernelCollector collected(out.strings(), out.Wants("kernels_by_iteration"));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    collected.AddRank(ranks[i], static_cast<std::uint32_t>(i));
  }
  AddKernelSums(collected.facts, out);
  if (!out.HasRows("kernels")) {
    const std::string reason = WhyNoKernels(collected.facts, out);
    for (const char* table : {"kernels_by_op", "kernels_by_iteration"}) {
      out.SetTableAbsent(table, reason);
    }
    return;
  }
  FillKernelsByOp(collected, ranks, out);
  FillKernelsByIteration(collected, ranks, out);
}

void AddKernelSums(std::span<const KernelFacts> ranks, catalog::Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(),
                               [](const KernelFacts& rank) { return !rank.names.empty(); });
  if (any) {
    FillKernels(ranks, out);
    SetMetrics(ranks, out);
    return;
  }
  const std::string reason = WhyNoKernels(ranks, out);
  out.SetTableAbsent("kernels", reason);
  for (const MetricId id :
       {metric::kProfileKernelTime, metric::kKernelShortShare, metric::kKernelCountPerIteration}) {
    out.SetAbsent(id, reason);
  }
}

namespace {

// Texts for a rank's rows: devices and the operators that allocated. Each is built once.
class BlockTexts {
 public:
  BlockTexts(const iterations::RankContext& rank, StringPool& pool)
      : rank_(rank), pool_(pool), is_range_(*rank.profile, flops::IsFrameworkRange) {}

  StringId Device(const DeviceKey& key) {
    StringId& text = devices_[key];
    if (!text.valid()) text = pool_.Intern(DeviceName(key));
    return text;
  }

  /// Invalid if no operator is known.
  StringId Op(HostId at) {
    const std::uint32_t op = OpOf(rank_, is_range_, at);
    if (op == flops::OpTree::kNone) return {};
    const std::uint32_t parent = rank_.tree.parent[op];
    const std::vector<StringId>& names = rank_.profile->host.name;
    const StringId caller = parent == flops::OpTree::kNone ? StringId{} : names[parent];
    const auto [known, is_new] = ops_.try_emplace({names[op].value, caller.value}, StringId{});
    if (is_new) known->second = Named(names[op], caller);
    return known->second;
  }

 private:
  // "aten::empty" does not show why memory was allocated, so its caller is also named.
  StringId Named(StringId op, StringId caller) {
    const std::string_view name = rank_.profile->Name(op);
    if (name.empty()) return {};
    if (!name.starts_with("aten::empty") || !caller.valid()) return pool_.Intern(name);
    return pool_.Intern(fmt::format("{} ({})", rank_.profile->Name(caller), name));
  }

  const iterations::RankContext& rank_;
  StringPool& pool_;
  classify::NameMemo is_range_;
  std::map<DeviceKey, StringId> devices_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, StringId> ops_;
};

struct Block {
  DeviceKey device;
  StringId op;
  std::int64_t bytes = 0;
  Ns allocated_at = Column::kAbsentInteger, released_at = Column::kAbsentInteger;
};

// Finds blocks from the allocator's events, which contain addresses but no blocks:
//
//   time     1        2        3        4
//   event    +64 @A   +32 @B   -64 @A   -16 @C
//   blocks   A: 1 to 3 · B: from 2, still allocated · C: to 4, allocated before the profile
//
// An address is only reused after its release, so each release closes the last block there.
std::vector<Block> PairBlocks(const iterations::RankContext& rank, BlockTexts& texts) {
  const MemoryTable& memory = rank.profile->memory;
  std::vector<Block> blocks;
  blocks.reserve(memory.size() / 2 + 1);  // Most are released.
  // GPUs may use equal addresses, but a CPU and a GPU do not. A release under the other device type
  // closes the same block, like in TensorBoard's plug-in.
  boost::unordered_flat_map<std::pair<DeviceKey, std::uint64_t>, std::size_t> open;
  boost::unordered_flat_map<std::uint64_t, DeviceKey> last_device;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory.address[i] == 0 || memory.bytes[i] == 0) continue;
    const std::pair place(KeyOf(memory, i), memory.address[i]);
    auto found = open.find(place);
    if (found == open.end() && memory.bytes[i] < 0) {
      const auto last = last_device.find(memory.address[i]);
      const bool is_other = last != last_device.end() && last->second.first != place.first.first;
      if (is_other) found = open.find({last->second, memory.address[i]});
    }
    if (memory.bytes[i] > 0) {
      Block& block = blocks.emplace_back();
      block.device = KeyOf(memory, i);
      block.op = texts.Op(memory.op[i]);
      block.bytes = memory.bytes[i];
      block.allocated_at = memory.time[i];
      open.insert_or_assign(place, blocks.size() - 1);
      last_device.insert_or_assign(memory.address[i], place.first);
    } else if (found != open.end()) {
      blocks[found->second].released_at = memory.time[i];
      open.erase(found);
    } else {
      Block& block = blocks.emplace_back();
      block.device = KeyOf(memory, i);
      block.op = texts.Op(memory.op[i]);
      block.bytes = -memory.bytes[i];
      block.released_at = memory.time[i];
    }
  }
  return blocks;
}

void AppendBlocks(const iterations::RankContext& rank, StringPool& pool,
                  catalog::RowWriter<catalog::columns::kMemoryEvents>& write) {
  BlockTexts texts(rank, pool);
  for (const Block& block : PairBlocks(rank, texts)) {
    const bool whole =
        block.allocated_at != Column::kAbsentInteger && block.released_at != Column::kAbsentInteger;
    write.Text("device"_col, texts.Device(block.device))
        .Integer("rank"_col, rank.rank)
        .Text("op"_col, block.op)
        .Integer("bytes"_col, block.bytes)
        .Integer("allocated_at"_col, block.allocated_at)
        .Integer("released_at"_col, block.released_at)
        .IntegerIf("duration"_col, whole, block.released_at - block.allocated_at);
  }
}

struct Peaks {
  std::int64_t allocated = -1, reserved = -1, growth = -1;
  double share = -1, fragmentation = -1;
};

// Finds the maximum memory in use, the maximum reserved from the device, and the maximum in use
// while most was reserved. The difference of the last two is fragmentation, or kept for later.
std::map<DeviceKey, MemoryPeak> FindPeaks(const MemoryTable& memory) {
  std::map<DeviceKey, MemoryPeak> peaks;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    MemoryPeak& peak = peaks[KeyOf(memory, i)];
    peak.allocated = std::max(peak.allocated, memory.total_allocated[i]);
    const std::int64_t reserved = memory.total_reserved[i];
    if (reserved > peak.reserved) peak.allocated_at_most_reserved = -1;
    if (reserved >= peak.reserved) {  // Keeps the most in use during the peak.
      peak.allocated_at_most_reserved =
          std::max(peak.allocated_at_most_reserved, memory.total_allocated[i]);
    }
    peak.reserved = std::max(peak.reserved, reserved);
  }
  return peaks;
}

// The memory in use on a device at the start of each selected iteration.
std::vector<std::int64_t> LevelsAtStarts(const iterations::RankContext& rank,
                                         const DeviceKey& device) {
  const MemoryTable& memory = rank.profile->memory;
  std::vector<std::int64_t> levels;
  std::int64_t level = -1;
  // The level before the first event is its total minus its bytes.
  for (std::size_t first = 0; first < memory.size() && level < 0; ++first) {
    if (KeyOf(memory, first) != device) continue;
    if (memory.total_allocated[first] < 0) break;
    level = memory.total_allocated[first] - memory.bytes[first];
    if (level < 0) break;
  }
  std::size_t row = 0;
  for (const iterations::Iteration& iteration : rank.iterations.selected()) {
    for (; row < memory.size() && memory.time[row] < iteration.time.start; ++row) {
      if (KeyOf(memory, row) == device && memory.total_allocated[row] >= 0) {
        level = memory.total_allocated[row];
      }
    }
    if (level >= 0) levels.push_back(level);
  }
  return levels;
}

// The median growth of memory in use from one start to the next; -1 for too few iterations. A cache
// that fills once is not a leak, but could dominate a few iterations.
std::int64_t GrowthOf(std::span<const std::int64_t> levels) {
  if (levels.size() < knowledge::kMemoryGrowthLeastIterations) return -1;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < levels.size(); ++i) steps.push_back(levels[i] - levels[i - 1]);
  std::sort(steps.begin(), steps.end());
  const std::int64_t both = steps[(steps.size() - 1) / 2] + steps[steps.size() / 2];
  return std::max<std::int64_t>(both / 2, 0);
}

// Keeps the worst GPU over all ranks: devices cannot use each other's memory.
void PoolPeaks(const iterations::RankContext& rank, const MemoryFacts& facts, Peaks& pooled) {
  for (const MemoryPeak& peak : facts.peaks) {
    if (peak.device_type == 0) continue;  // The gates are about GPUs.
    pooled.allocated = std::max(pooled.allocated, peak.allocated);
    pooled.reserved = std::max(pooled.reserved, peak.reserved);
    pooled.growth = std::max(pooled.growth, peak.growth);
    const Gpu* gpu = classify::FindGpu(rank.devices, static_cast<std::int32_t>(peak.device));
    if (gpu != nullptr && gpu->memory > 0 && peak.allocated >= 0) {
      pooled.share = std::max(
          pooled.share, static_cast<double>(peak.allocated) / static_cast<double>(gpu->memory));
    }
    if (peak.reserved > 0 && peak.allocated_at_most_reserved >= 0) {
      pooled.fragmentation =
          std::max(pooled.fragmentation, 1 - static_cast<double>(peak.allocated_at_most_reserved) /
                                                 static_cast<double>(peak.reserved));
    }
  }
}

void AppendCurve(const iterations::RankContext& rank, StringPool& pool,
                 catalog::RowWriter<catalog::columns::kMemoryCurve>& write) {
  const MemoryTable& memory = rank.profile->memory;
  BlockTexts texts(rank, pool);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory.total_allocated[i] < 0 && memory.total_reserved[i] < 0) continue;
    write.Text("device"_col, texts.Device(KeyOf(memory, i)))
        .Integer("rank"_col, rank.rank)
        .Integer("time"_col, memory.time[i])
        .Known("allocated"_col, memory.total_allocated[i])
        .Known("reserved"_col, memory.total_reserved[i]);
  }
}

}  // namespace

MemoryFacts MemoryFactsOf(const iterations::RankContext& rank) {
  MemoryFacts facts;
  facts.any = rank.profile->memory.size() > 0;
  for (const auto& [device, peak] : FindPeaks(rank.profile->memory)) {
    facts.peaks.push_back(peak);
    facts.peaks.back().device_type = device.first;
    facts.peaks.back().device = device.second;
    facts.peaks.back().growth = GrowthOf(LevelsAtStarts(rank, device));
  }
  return facts;
}

void SetMemoryMetrics(std::span<const iterations::RankContext> ranks,
                      std::span<const MemoryFacts> facts, catalog::Output& out) {
  Peaks peaks;
  bool any = false;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    PoolPeaks(ranks[i], facts[i], peaks);
    any = any || facts[i].any;
  }
  const std::string gap = any ? out.Told(
                                    "totals of a {{ device.device }} allocator were not recorded "
                                    "(PyTorch 1.10 and later write them)")
                              : out.Gap(Capability::kMemoryEvents);
  if (peaks.allocated >= 0)
    out.Set(metric::kMemoryPeakAllocated, peaks.allocated);
  else
    out.SetAbsent(metric::kMemoryPeakAllocated, gap);
  if (peaks.reserved >= 0)
    out.Set(metric::kMemoryPeakReserved, peaks.reserved);
  else
    out.SetAbsent(metric::kMemoryPeakReserved, gap);
  if (peaks.share >= 0)
    out.Set(metric::kMemoryPeakShare, peaks.share);
  else
    out.SetAbsent(metric::kMemoryPeakShare,
                  peaks.allocated >= 0 ? out.Gap(Capability::kDeviceProperties) : gap);
  if (peaks.fragmentation >= 0)
    out.Set(metric::kMemoryFragmentation, peaks.fragmentation);
  else
    out.SetAbsent(metric::kMemoryFragmentation, gap);
  if (peaks.growth >= 0)
    out.Set(metric::kMemoryGrowth, peaks.growth);
  else
    out.SetAbsent(
        metric::kMemoryGrowth,
        peaks.allocated >= 0
            ? fmt::format("needs the memory in use at the start of {} selected iterations",
                          knowledge::kMemoryGrowthLeastIterations.value())
            : gap);
}

void AddMemory(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::vector<MemoryFacts> facts;
  for (const iterations::RankContext& rank : ranks) facts.push_back(MemoryFactsOf(rank));
  SetMemoryMetrics(ranks, facts, out);
  constexpr const char* kTables[] = {"memory_ops", "memory_events", "memory_curve"};
  if (std::ranges::none_of(kTables, [&out](const char* table) { return out.Wants(table); })) return;
  bool any = false, addresses = false, totals = false;
  for (const iterations::RankContext& rank : ranks) {
    const MemoryTable& memory = rank.profile->memory;
    any = any || memory.size() > 0;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      addresses = addresses || memory.address[i] != 0;
      totals = totals || memory.total_allocated[i] >= 0;
    }
  }
  if (!any) {
    for (const char* table : kTables) {
      out.SetTableAbsent(table, out.Gap(Capability::kMemoryEvents));
    }
    return;
  }
  catalog::RowWriter<catalog::columns::kMemoryOps> ops(out.AddTable("memory_ops"));
  for (const iterations::RankContext& rank : ranks) AppendOps(rank, out.strings(), ops);
  const std::string old = "the profile was written before PyTorch 1.10, which writes ";
  if (addresses) {
    catalog::RowWriter<catalog::columns::kMemoryEvents> blocks(out.AddTable("memory_events"));
    for (const iterations::RankContext& rank : ranks) AppendBlocks(rank, out.strings(), blocks);
  } else {
    out.SetTableAbsent("memory_events", old + "addresses");
  }
  if (totals) {
    catalog::RowWriter<catalog::columns::kMemoryCurve> curve(out.AddTable("memory_curve"));
    for (const iterations::RankContext& rank : ranks) AppendCurve(rank, out.strings(), curve);
  } else {
    out.SetTableAbsent("memory_curve", old + "the allocator's totals");
  }
}

}  // namespace profgauge::analysis::device
