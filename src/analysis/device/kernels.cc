#include "analysis/device/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/device/kernel_sums.h"

namespace profgauge {
namespace {

// Indices of `rows`, longest time first; equal ones in the order of `name`, then of appearance.
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

void AppendSums(Table& table, const KernelSums& sums, std::string_view rule, StringPool& pool) {
  table.Find("uses_tensor_core")->AddText(pool.Intern(TriName(sums.tensor_core)));
  table.Find("rule")->AddText(pool.Intern(rule));
  table.Find("calls")->AddInteger(sums.calls);
  table.Find("time")->AddInteger(sums.time);
  table.Find("mean")->AddInteger(sums.time / sums.calls);
  table.Find("min")->AddInteger(sums.min);
  table.Find("max")->AddInteger(sums.max);
  sums.blocks_per_sm.AppendTo(*table.Find("blocks_per_sm"));
  sums.occupancy.AppendTo(*table.Find("occupancy"));
  table.Find("is_collective")->AddInteger(sums.collective ? 1 : 0);
  Column& exposed = *table.Find("exposed_time");
  if (sums.collective)
    exposed.AddInteger(sums.exposed);
  else
    exposed.AddAbsent();
  Column& bytes = *table.Find("bytes");
  if (sums.bytes >= 0)
    bytes.AddInteger(sums.bytes);
  else
    bytes.AddAbsent();
}

// What is known from shapes, where no recorded number stands.
void AppendWork(Table& table, const KernelSums& sums) {
  Column& flops = *table.Find("flops");
  if (sums.work_flops >= 0) {
    flops.AddReal(sums.work_flops);
  } else {
    flops.AddAbsent();
  }
  Column& bytes = *table.Find("bytes");
  const std::size_t row = bytes.size() - 1;
  if (bytes.IsAbsentAt(row) && sums.work_bytes >= 0 && sums.work_bytes < 9e18) {
    bytes.SetInteger(row, std::llround(sums.work_bytes));
  }
}

void AppendDimensions(Column& column, const std::int32_t (&size)[3], StringPool& pool) {
  if (size[0] <= 0) return column.AddAbsent();
  column.AddText(pool.Intern(fmt::format("[{}, {}, {}]", size[0], size[1], size[2])));
}

// The names of all ranks, each once.
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

void FillKernels(std::span<const KernelFacts> ranks, Output& out) {
  const std::vector<KernelNameSum> rows = PoolNames(ranks);
  Table& table = out.AddTable("kernels");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      rows, [&](std::uint32_t i) { return rows[i].sums.time; },
      [&](std::uint32_t i) { return rows[i].name; });
  for (const std::uint32_t i : order) {
    const KernelNameSum& row = rows[i];
    table.Find("name")->AddText(row.name.empty() ? StringId{} : pool.Intern(row.name));
    AppendSums(table, row.sums, row.rule, pool);
    table.Find("outside")->AddInteger(row.sums.outside);
  }
}

void AppendOp(Table& table, const KernelOpRow& row, StringPool& pool) {
  Column& op = *table.Find("op");
  Column& type = *table.Find("op_type");
  if (row.key.op.valid()) {
    op.AddText(row.key.op);
    type.AddText(pool.Intern(OpType(pool[row.key.op])));
  } else {
    op.AddAbsent();
    type.AddAbsent();
  }
  table.Find("dtype")->AddText(row.dtype);
  Column& eligible = *table.Find("tensor_core_eligible");
  if (row.eligible == Tri::kUnknown)
    eligible.AddAbsent();
  else
    eligible.AddInteger(row.eligible == Tri::kYes ? 1 : 0);
}

// Says which row counts which kernel. `order`: index in by_op of each row.
void LinkRows(const KernelCollector& collected, const std::vector<std::uint32_t>& order,
              Output& out) {
  std::vector<std::uint32_t> row_of(order.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) row_of[order[row]] = row;
  for (std::size_t rank = 0; rank < collected.op_row_of.size(); ++rank) {
    std::vector<std::uint32_t>& rows = out.RowsOfDevice("kernels_by_op", rank);
    rows = collected.op_row_of[rank];
    for (std::uint32_t& row : rows) {
      row = row == KernelCollector::kNoRow ? Output::kNoRow : row_of[row];
    }
  }
}

void FillKernelsByOp(const KernelCollector& collected, std::span<const RankContext> ranks,
                     Output& out) {
  Table& table = out.AddTable("kernels_by_op");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      collected.by_op, [&](std::uint32_t i) { return collected.by_op[i].sums.time; },
      [&](std::uint32_t i) { return pool[collected.by_op[i].key.name]; });
  for (const std::uint32_t i : order) {
    const KernelOpRow& row = collected.by_op[i];
    const LaunchProperties& properties = collected.properties(row.key.config);
    table.Find("name")->AddText(row.key.name);
    AppendOp(table, row, pool);
    table.Find("rank")->AddInteger(ranks[row.key.rank].rank);
    Column& gpu = *table.Find("gpu");
    if (row.key.gpu >= 0)
      gpu.AddInteger(row.key.gpu);
    else
      gpu.AddAbsent();
    AppendDimensions(*table.Find("grid"), properties.grid, pool);
    AppendDimensions(*table.Find("block"), properties.block, pool);
    Column& registers = *table.Find("registers");
    if (properties.registers >= 0)
      registers.AddInteger(properties.registers);
    else
      registers.AddAbsent();
    Column& shared = *table.Find("shared_memory");
    if (properties.shared_memory >= 0)
      shared.AddInteger(properties.shared_memory);
    else
      shared.AddAbsent();
    AppendSums(table, row.sums, RuleName(row.sums.rule, ranks.front().knowledge), pool);
    AppendWork(table, row.sums);
  }
  LinkRows(collected, order, out);
  if (!collected.any_op) {
    for (const char* column : {"op", "op_type"}) {
      table.Find(column)->MarkAbsent(out.Gap(Capability::kLaunchLinks));
    }
  }
  if (!collected.any_shape_types) table.Find("dtype")->MarkAbsent(out.Gap(Capability::kShapes));
}

void FillKernelsByIteration(KernelCollector& collected, std::span<const RankContext> ranks,
                            Output& out) {
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
  for (const KernelIterationRow& row : rows) {
    table.Find("iteration")->AddInteger(row.iteration);
    table.Find("rank")->AddInteger(ranks[row.rank].rank);
    table.Find("name")->AddText(row.name);
    table.Find("uses_tensor_core")->AddText(pool.Intern(TriName(row.tensor_core)));
    table.Find("calls")->AddInteger(row.calls);
    table.Find("time")->AddInteger(row.time);
  }
}

void SetMetrics(std::span<const KernelFacts> ranks, Output& out) {
  KernelFacts run;
  for (const KernelFacts& rank : ranks) {
    run.kernel_time += rank.kernel_time;
    run.short_time += rank.short_time;
    run.kernels_in_iterations += rank.kernels_in_iterations;
    run.iterations += rank.iterations;
    run.is_launched = run.is_launched || rank.is_launched;
  }
  out.Set("profile.kernel_time", run.kernel_time);
  if (run.kernel_time > 0) {
    out.Set("kernel.short_share",
            static_cast<double>(run.short_time) / static_cast<double>(run.kernel_time));
  } else {
    out.SetAbsent("kernel.short_share", "no kernel takes time");
  }
  // Kernels belong to the iteration that launched them.
  if (run.kernels_in_iterations == 0 && !run.is_launched) {
    out.SetAbsent("kernel.count_per_iteration", out.Gap(Capability::kLaunchLinks));
  } else if (run.iterations > 0) {
    out.Set("kernel.count_per_iteration",
            static_cast<double>(run.kernels_in_iterations) / static_cast<double>(run.iterations));
  }
}

}  // namespace

KernelFacts KernelFactsOf(const RankContext& rank) {
  StringPool pool;
  KernelCollector collected(pool);
  collected.AddRank(rank, 0);
  return std::move(collected.facts.front());
}

void AddKernels(std::span<const RankContext> ranks, Output& out) {
  KernelCollector collected(out.strings());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    collected.AddRank(ranks[i], static_cast<std::uint32_t>(i));
  }
  AddKernels(collected.facts, out);
  if (!out.HasRows("kernels")) {
    const std::string reason = out.Gap(Capability::kDeviceEvents);
    for (const char* table : {"kernels_by_op", "kernels_by_iteration"}) {
      out.SetTableAbsent(table, reason);
    }
    return;
  }
  FillKernelsByOp(collected, ranks, out);
  FillKernelsByIteration(collected, ranks, out);
}

void AddKernels(std::span<const KernelFacts> ranks, Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(),
                               [](const KernelFacts& rank) { return !rank.names.empty(); });
  if (any) {
    FillKernels(ranks, out);
    SetMetrics(ranks, out);
    return;
  }
  const std::string reason = out.Gap(Capability::kDeviceEvents);
  out.SetTableAbsent("kernels", reason);
  for (const char* id :
       {"profile.kernel_time", "kernel.short_share", "kernel.count_per_iteration"}) {
    out.SetAbsent(id, reason);
  }
}

}  // namespace profgauge
