#include "analysis/device/device_tables.h"
#include "analysis/device/memory_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/classify/name_memo.h"
#include "analysis/tables/output.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/work_columns.h"
#include "base/metric_id.h"
#include "knowledge/memory.h"

namespace profgauge::analysis::device {
namespace {

// The texts of a rank's rows: devices and who wanted the memory, each made once.
class BlockTexts {
 public:
  BlockTexts(const context::RankContext& rank, StringPool& pool)
      : rank_(rank), pool_(pool), is_range_(*rank.profile, work::IsFrameworkRange) {}

  StringId Device(const DeviceKey& key) {
    StringId& text = devices_[key];
    if (!text.valid()) text = pool_.Intern(DeviceName(key));
    return text;
  }

  /// Invalid: no operator is known.
  StringId Op(HostId at) {
    const std::uint32_t op = OpOf(rank_, is_range_, at);
    if (op == work::OpTree::kNone) return {};
    const std::uint32_t parent = rank_.tree.parent[op];
    const std::vector<StringId>& names = rank_.profile->host.name;
    const StringId caller = parent == work::OpTree::kNone ? StringId{} : names[parent];
    const auto [known, is_new] = ops_.try_emplace({names[op].value, caller.value}, StringId{});
    if (is_new) known->second = Named(names[op], caller);
    return known->second;
  }

 private:
  // "aten::empty" says nothing about who wanted the memory: name its caller too.
  StringId Named(StringId op, StringId caller) {
    const std::string_view name = rank_.profile->Name(op);
    if (name.empty()) return {};
    if (!name.starts_with("aten::empty") || !caller.valid()) return pool_.Intern(name);
    return pool_.Intern(fmt::format("{} ({})", rank_.profile->Name(caller), name));
  }

  const context::RankContext& rank_;
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

// Blocks from the allocator's events, which name an address and no block:
//
//   time     1        2        3        4
//   event    +64 @A   +32 @B   -64 @A   -16 @C
//   blocks   A: 1 to 3 · B: from 2, still held · C: to 4, held since before the profile
//
// An address is given out again once it was returned, so each return closes the last block there.
std::vector<Block> PairBlocks(const context::RankContext& rank, BlockTexts& texts) {
  const MemoryTable& memory = rank.profile->memory;
  std::vector<Block> blocks;
  blocks.reserve(memory.size() / 2 + 1);  // Most are returned.
  // GPUs may give out equal addresses. A CPU and a GPU do not: a return under the other type ends
  // the same block, as TensorBoard's plug-in pairs them.
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

void AppendBlocks(const context::RankContext& rank, StringPool& pool,
                  tables::RowWriter<tables::columns::kMemoryEvents>& write) {
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

// The most that was in use, the most that the allocator had taken from the device, and the most
// that was in use while that was taken: the rest of it is lost to fragmentation, or kept for later.
std::map<DeviceKey, MemoryPeak> FindPeaks(const MemoryTable& memory) {
  std::map<DeviceKey, MemoryPeak> peaks;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    MemoryPeak& peak = peaks[KeyOf(memory, i)];
    peak.allocated = std::max(peak.allocated, memory.total_allocated[i]);
    const std::int64_t reserved = memory.total_reserved[i];
    if (reserved > peak.reserved) peak.allocated_at_most_reserved = -1;
    if (reserved >= peak.reserved) {  // While most is reserved, the fullest moment counts.
      peak.allocated_at_most_reserved =
          std::max(peak.allocated_at_most_reserved, memory.total_allocated[i]);
    }
    peak.reserved = std::max(peak.reserved, reserved);
  }
  return peaks;
}

// The memory in use on a device when each of the selected iterations starts.
std::vector<std::int64_t> LevelsAtStarts(const context::RankContext& rank,
                                         const DeviceKey& device) {
  const MemoryTable& memory = rank.profile->memory;
  std::vector<std::int64_t> levels;
  std::int64_t level = -1;
  // What was in use before the first event is its total without its bytes.
  for (std::size_t first = 0; first < memory.size() && level < 0; ++first) {
    if (KeyOf(memory, first) != device) continue;
    if (memory.total_allocated[first] < 0) break;
    level = memory.total_allocated[first] - memory.bytes[first];
    if (level < 0) break;
  }
  std::size_t row = 0;
  for (const context::Iteration& iteration : rank.iterations.selected()) {
    for (; row < memory.size() && memory.time[row] < iteration.time.start; ++row) {
      if (KeyOf(memory, row) == device && memory.total_allocated[row] >= 0) {
        level = memory.total_allocated[row];
      }
    }
    if (level >= 0) levels.push_back(level);
  }
  return levels;
}

// By how much more is given out from one start to the next, -1 of too few: a cache that
// fills once is no leak, and of few steps most may be such.
std::int64_t GrowthOf(std::span<const std::int64_t> levels) {
  if (levels.size() < knowledge::kMemoryGrowthLeastIterations) return -1;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < levels.size(); ++i) steps.push_back(levels[i] - levels[i - 1]);
  std::sort(steps.begin(), steps.end());
  const std::int64_t both = steps[(steps.size() - 1) / 2] + steps[steps.size() / 2];
  return std::max<std::int64_t>(both / 2, 0);
}

// Over GPUs and ranks the worst: memory of one device is of no use to another.
void PoolPeaks(const context::RankContext& rank, const MemoryFacts& facts, Peaks& pooled) {
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

void AppendCurve(const context::RankContext& rank, StringPool& pool,
                 tables::RowWriter<tables::columns::kMemoryCurve>& write) {
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

MemoryFacts MemoryFactsOf(const context::RankContext& rank) {
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

void SetMemoryMetrics(std::span<const context::RankContext> ranks,
                      std::span<const MemoryFacts> facts, tables::Output& out) {
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

void AddMemory(std::span<const context::RankContext> ranks, tables::Output& out) {
  std::vector<MemoryFacts> facts;
  for (const context::RankContext& rank : ranks) facts.push_back(MemoryFactsOf(rank));
  SetMemoryMetrics(ranks, facts, out);
  constexpr const char* kTables[] = {"memory_ops", "memory_events", "memory_curve"};
  if (std::ranges::none_of(kTables, [&out](const char* table) { return out.Wants(table); })) return;
  bool any = false, addresses = false, totals = false;
  for (const context::RankContext& rank : ranks) {
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
  tables::RowWriter<tables::columns::kMemoryOps> ops(out.AddTable("memory_ops"));
  for (const context::RankContext& rank : ranks) AppendOps(rank, out.strings(), ops);
  const std::string old = "the profile was written before PyTorch 1.10, which writes ";
  if (addresses) {
    tables::RowWriter<tables::columns::kMemoryEvents> blocks(out.AddTable("memory_events"));
    for (const context::RankContext& rank : ranks) AppendBlocks(rank, out.strings(), blocks);
  } else {
    out.SetTableAbsent("memory_events", old + "addresses");
  }
  if (totals) {
    tables::RowWriter<tables::columns::kMemoryCurve> curve(out.AddTable("memory_curve"));
    for (const context::RankContext& rank : ranks) AppendCurve(rank, out.strings(), curve);
  } else {
    out.SetTableAbsent("memory_curve", old + "the allocator's totals");
  }
}

}  // namespace profgauge::analysis::device
