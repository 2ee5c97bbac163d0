#include "analysis/device/device_tables.h"

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
#include "analysis/tables/device_columns.h"
#include "analysis/tables/row_writer.h"
#include "base/metric_id.h"
#include "base/numbers.h"

namespace profgauge::analysis::device {
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

// The cells of columns::kKernelSums.
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

// The value by shapes, if no number was recorded; -1: neither.
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

// The table `kernels`, from kept sums: a run of events and a run of summaries have the same rows.
void FillKernels(std::span<const KernelFacts> ranks, tables::Output& out) {
  const std::vector<KernelNameSum> rows = PoolNames(ranks);
  Table& table = out.AddTable("kernels");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      rows, [&](std::uint32_t i) { return rows[i].sums.time; },
      [&](std::uint32_t i) { return rows[i].name; });
  tables::RowWriter<tables::columns::kKernels> write(table);
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

// From `op` to `tensor_core_eligible`.
void AppendOp(const KernelOpRow& row, StringPool& pool,
              tables::RowWriter<tables::columns::kKernelsByOp>& write) {
  const StringId op = row.key.op;
  write.Text("op"_col, op)
      .Text("op_type"_col, op.valid() ? pool.Intern(work::OpType(pool[op])) : StringId{})
      .Text("dtype"_col, row.dtype)
      .IntegerIf("tensor_core_eligible"_col, row.eligible != classify::Tri::kUnknown,
                 row.eligible == classify::Tri::kYes ? 1 : 0);
}

// Says which row counts which kernel. `order`: index in by_op of each row.
void LinkRows(KernelCollector& collected, const std::vector<std::uint32_t>& order,
              tables::Output& out) {
  std::vector<std::uint32_t> row_of(order.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) row_of[order[row]] = row;
  for (std::size_t rank = 0; rank < collected.op_row_of.size(); ++rank) {
    std::vector<std::uint32_t>& rows = out.RowsOfDevice("kernels_by_op", rank);
    rows = std::move(collected.op_row_of[rank]);
    for (std::uint32_t& row : rows) {
      row = row == KernelCollector::kNoRow ? tables::Output::kNoRow : row_of[row];
    }
  }
}

// The table of kernels under operators, and which row counts which event, for the exposures.
void FillKernelsByOp(KernelCollector& collected, std::span<const context::RankContext> ranks,
                     tables::Output& out) {
  Table& table = out.AddTable("kernels_by_op");
  StringPool& pool = out.strings();
  const auto order = ByTime(
      collected.by_op, [&](std::uint32_t i) { return collected.by_op[i].sums.time; },
      [&](std::uint32_t i) { return pool[collected.by_op[i].key.name]; });
  tables::RowWriter<tables::columns::kKernelsByOp> write(table);
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
    for (Column* column : {tables::ColumnOf<tables::columns::kKernelsByOp>(table, "op"_col),
                           tables::ColumnOf<tables::columns::kKernelsByOp>(table, "op_type"_col)}) {
      column->MarkAbsent(out.Gap(Capability::kLaunchLinks));
    }
  }
  if (!collected.any_shape_types)
    tables::ColumnOf<tables::columns::kKernelsByOp>(table, "dtype"_col)
        ->MarkAbsent(out.Gap(Capability::kShapes));
}

void FillKernelsByIteration(KernelCollector& collected, std::span<const context::RankContext> ranks,
                            tables::Output& out) {
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
  tables::RowWriter<tables::columns::kKernelsByIteration> write(table);
  for (const KernelIterationRow& row : rows) {
    write.Integer("iteration"_col, row.iteration)
        .Integer("rank"_col, ranks[row.rank].rank)
        .Text("name"_col, row.name)
        .Text("uses_tensor_core"_col, classify::TriName(row.tensor_core))
        .Integer("calls"_col, row.calls)
        .Integer("time"_col, row.time);
  }
}

// Shares are of the sums of all ranks: a rank with more kernel time weighs more.
void SetMetrics(std::span<const KernelFacts> ranks, tables::Output& out) {
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
  // Kernels belong to the iteration that launched them.
  if (run.kernels_in_iterations == 0 && !run.is_launched) {
    out.SetAbsent(metric::kKernelCountPerIteration, out.Gap(Capability::kLaunchLinks));
  } else if (run.iterations > 0) {
    out.Set(metric::kKernelCountPerIteration,
            static_cast<double>(run.kernels_in_iterations) / static_cast<double>(run.iterations));
  }
}

}  // namespace

// For a summary: rows by operator are made and dropped, rows by iteration are not made.
KernelFacts KernelFactsOf(const context::RankContext& rank) {
  StringPool pool;
  KernelCollector collected(pool, false);
  collected.AddRank(rank, 0);
  return std::move(collected.facts.front());
}

void AddKernels(std::span<const context::RankContext> ranks, tables::Output& out) {
  KernelCollector collected(out.strings(), out.Wants("kernels_by_iteration"));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    collected.AddRank(ranks[i], static_cast<std::uint32_t>(i));
  }
  AddKernelSums(collected.facts, out);
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

void AddKernelSums(std::span<const KernelFacts> ranks, tables::Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(),
                               [](const KernelFacts& rank) { return !rank.names.empty(); });
  if (any) {
    FillKernels(ranks, out);
    SetMetrics(ranks, out);
    return;
  }
  const std::string reason = out.Gap(Capability::kDeviceEvents);
  out.SetTableAbsent("kernels", reason);
  for (const MetricId id :
       {metric::kProfileKernelTime, metric::kKernelShortShare, metric::kKernelCountPerIteration}) {
    out.SetAbsent(id, reason);
  }
}

}  // namespace profgauge::analysis::device
