#include "analysis/ops/op_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/catalog/op_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/ops/op_rows.h"
#include "base/numbers.h"

namespace profgauge::analysis::ops {
namespace {

// Maximum number of rows by shape in a summary: they fit into a few tens of kilobytes.
constexpr std::size_t kMostShapes = 1'500;

bool NeedsDevice(std::string_view id) {
  return id.starts_with("device_") || id.starts_with("gpu_") || id == "kernels" ||
         id == "outside" || id == "recomputed_time" || id == "uses_tensor_core" ||
         id.starts_with("tensor_core_self") || id.starts_with("tensor_core_total");
}

// Columns that need device events are absent without them, not 0.
void MarkWithoutDevice(bool has_device, const catalog::Output& out, Table& table) {
  if (has_device) return;
  for (Column& column : table.columns()) {
    if (NeedsDevice(column.id())) column.MarkAbsent(out.Gap(Capability::kDeviceEvents));
  }
}

// Empty without kernels: an operator without launches neither uses nor misses Tensor Cores.
std::string_view UsesText(const OpSums& sums, Ns kernel_time, Ns tensor_core_time) {
  if (tensor_core_time > 0) return "yes";
  if (sums.undecided) return "unknown";
  return kernel_time > 0 ? "no" : "";
}

// FLOPs, bytes and achieved rates, if shapes show them.
template <class Writer>
void AppendWork(const OpSums& sums, Writer& write) {
  const bool known = sums.flops >= 0;
  const double seconds = static_cast<double>(sums.known_time) / 1e9;
  const bool has_bytes = sums.bytes >= 0 && sums.bytes < kLargestWhole;
  write.Real("flops"_col, known ? std::optional(sums.flops) : std::nullopt)
      .IntegerIf("bytes"_col, has_bytes, has_bytes ? std::llround(sums.bytes) : 0)
      .Real("achieved"_col,
            known && seconds > 0 ? std::optional(sums.flops / seconds) : std::nullopt);
}

struct RunOps {
  bool has_ops = false, has_device = false, has_timeline = true, knows_recomputed = false;
  bool has_shapes = false;
};

// Fills one table, in the order of `rows`. The tables differ in a few columns, which are selected
// at compile time.
template <const auto& kColumns>
void FillOps(const OpRows& rows, OpGrouping grouping, const RunOps& run, const catalog::Output& out,
             Table& table) {
  MarkWithoutDevice(run.has_device, out, table);
  const bool any_work =
      std::any_of(rows.begin(), rows.end(), [](const OpRow& row) { return row.sums.flops >= 0; });
  for (const char* id : {"flops", "bytes", "achieved"}) {
    if (!any_work) table.Find(id)->MarkAbsent(out.GapOfWork(run.has_shapes));
  }
  StringPool& strings = table.strings();
  catalog::RowWriter<kColumns> write(table);
  for (const OpRow& row : rows) {
    const OpSums& sums = row.sums;
    write.Text("name"_col, row.name);
    if constexpr (catalog::NamesColumn<catalog::Col<"input_shapes">, kColumns>) {
      write.Text("input_shapes"_col, row.second);
    }
    write.Text("type"_col, strings.Intern(flops::OpType(strings[row.name])))
        .Text("direction"_col, DirectionText(row.directions))
        .Text("dtypes"_col, row.dtypes.get())
        .Integer("calls"_col, sums.calls)
        .Integer("host_self"_col, sums.host_self)
        .Integer("host_total"_col, sums.host_total)
        .IntegerIf("device_self"_col, run.has_device, sums.device_self)
        .IntegerIf("device_total"_col, run.has_device, sums.device_total)
        .IntegerIf("kernels"_col, run.has_device, sums.kernels)
        .Bool("tensor_core_eligible"_col, sums.eligible)
        .Text("uses_tensor_core"_col, UsesText(sums, sums.kernel_total, sums.tensor_core_total))
        .Share("tensor_core_self"_col, sums.tensor_core_self, sums.kernel_self)
        .Share("tensor_core_total"_col, sums.tensor_core_total, sums.kernel_total);
    AppendWork(sums, write);
    write.IntegerIf("outside"_col, run.has_device, sums.outside)
        .Integer("outside_host"_col, sums.outside_host)
        .Integer("outside_host_self"_col, sums.outside_host_self)
        .Integer("outside_calls"_col, sums.outside_calls)
        .Text("call_stack"_col, grouping == OpGrouping::kStack ? row.second : row.call_stack.get());
    if constexpr (catalog::NamesColumn<catalog::Col<"recomputed_time">, kColumns>) {
      write.Integer("recomputed_calls"_col, sums.recomputed_calls)
          .IntegerIf("recomputed_time"_col, run.has_device, sums.recomputed_time);
    }
  }
}

// Without a timeline, operators have only kernel times.
void DropHostTimes(bool has_timeline, Table& table) {
  if (has_timeline) return;
  for (Column& column : table.columns()) {
    const std::string_view id = column.id();
    if (!id.starts_with("host_") && !id.starts_with("gpu_idle") &&
        !id.starts_with("outside_host")) {
      continue;
    }
    for (std::size_t row = 0; row < column.size(); ++row) {
      column.SetInteger(row, Column::kAbsentInteger);
    }
    column.MarkAbsent("needs the times of events, which this format does not have");
  }
}

// Used without backward nodes, which would show repetition.
void DropRecomputed(Table& table) {
  for (const char* id : {"recomputed_calls", "recomputed_time"}) {
    Column& column = *table.Find(id);
    for (std::size_t row = 0; row < column.size(); ++row) {
      column.SetInteger(row, Column::kAbsentInteger);
    }
    column.MarkAbsent("needs backward nodes of operators, which this profile does not have");
  }
}

void FillTypes(const OpRows& rows, bool has_device, const catalog::Output& out, Table& table) {
  MarkWithoutDevice(has_device, out, table);
  catalog::RowWriter<catalog::columns::kOpTypes> write(table);
  for (const OpRow& row : rows) {
    const OpSums& sums = row.sums;
    // Appends mean, smallest and largest of the calls with a time.
    const auto append_spread =
        [&write, calls = std::max<std::int64_t>(sums.calls - sums.calls_inside, 1)](
            auto mean, auto least, auto most, bool is_known, Ns sum, const OpRange& range) {
          write.IntegerIf(mean, is_known, sum / calls);
          write.IntegerIf(least, is_known, range.least).IntegerIf(most, is_known, range.most);
        };
    write.Text("name"_col, row.name)
        .Integer("operators"_col, row.operators)
        .Integer("calls"_col, sums.calls)
        .Integer("host_self"_col, sums.host_self)
        .IntegerIf("device_self"_col, has_device, sums.device_self)
        .IntegerIf("kernels"_col, has_device, sums.kernels)
        .Bool("tensor_core_eligible"_col, sums.eligible)
        .Text("uses_tensor_core"_col, UsesText(sums, sums.kernel_self, sums.tensor_core_self))
        .Share("tensor_core_self"_col, sums.tensor_core_self, sums.kernel_self)
        .Integer("host_total"_col, sums.host_total);
    append_spread("host_mean"_col, "host_min"_col, "host_max"_col, true, sums.host_total,
                  sums.host_range);
    append_spread("host_self_mean"_col, "host_self_min"_col, "host_self_max"_col, true,
                  sums.host_self, sums.host_self_range);
    append_spread("device_mean"_col, "device_min"_col, "device_max"_col, has_device,
                  sums.device_self, sums.device_range);
    write.IntegerIf("gpu_busy"_col, has_device, sums.gpu_busy)
        .IntegerIf("gpu_idle"_col, has_device, sums.gpu_idle);
    append_spread("gpu_idle_mean"_col, "gpu_idle_min"_col, "gpu_idle_max"_col, has_device,
                  sums.gpu_idle, sums.gpu_idle_range);
    write.IntegerIf("outside"_col, has_device, sums.outside);
  }
}

// Adds a table by name and `second`, if any call has a `second`.
void AddSplitTable(OpRows rows, const RunOps& run, OpGrouping grouping, catalog::Output& out) {
  const bool by_shape = grouping == OpGrouping::kShapes;
  const std::string_view table = by_shape ? "ops_by_shape" : "ops_by_stack";
  if (std::none_of(rows.begin(), rows.end(), [](const OpRow& row) { return row.second.valid(); })) {
    out.SetTableAbsent(table, out.Gap(by_shape ? Capability::kShapes : Capability::kCallStacks));
    return;
  }
  SortOps(rows, out.strings());
  Table& filled = out.AddTable(table);
  if (by_shape) {
    FillOps<catalog::columns::kOpsByShape>(rows, grouping, run, out, filled);
  } else {
    FillOps<catalog::columns::kOpsByStack>(rows, grouping, run, out, filled);
  }
  DropHostTimes(run.has_timeline, filled);
}

// Adds ops and op_types.
void AddNames(OpRows ops, const RunOps& run, catalog::Output& out) {
  SortOps(ops, out.strings());
  Table& by_name = out.AddTable("ops");
  FillOps<catalog::columns::kOps>(ops, OpGrouping::kName, run, out, by_name);
  if (!run.knows_recomputed) DropRecomputed(by_name);
  DropHostTimes(run.has_timeline, by_name);
  OpRows types = GroupOpTypes(std::move(ops), out.strings());
  SortOps(types, out.strings());
  Table& by_type = out.AddTable("op_types");
  FillTypes(types, run.has_device, out, by_type);
  DropHostTimes(run.has_timeline, by_type);
}

}  // namespace

OpFacts OpFactsOf(const iterations::RankContext& rank) {
  StringPool strings;
  OpFacts facts;
  facts.has_device = rank.has_device();
  facts.has_timeline = rank.profile->has_timeline;
  const RankOps operators(rank);
  facts.knows_recomputed = operators.knows_recomputed;
  constexpr std::array kBy = {OpGrouping::kName, OpGrouping::kShapes};
  const auto grouped = GroupOps(operators, kBy, strings);
  facts.names = OpSumsFrom(grouped[0], strings);
  facts.by_shape = OpSumsFrom(grouped[1], strings);
  facts.has_all_shapes = facts.by_shape.size() <= kMostShapes;
  const bool any_shapes = std::any_of(facts.by_shape.begin(), facts.by_shape.end(),
                                      [](const OpNameSum& sum) { return sum.shapes.has_value(); });
  if (!any_shapes || !facts.has_all_shapes) facts.by_shape.clear();
  return facts;
}

struct OpPool::Sums {
  RunOps run;
  PooledOps by_name, by_shape;
  bool has_all_shapes = true;
};

OpPool::OpPool() : sums_(std::make_unique<Sums>()) {}
OpPool::OpPool(OpPool&&) noexcept = default;
OpPool::~OpPool() = default;

void OpPool::Add(const OpFacts& rank, StringPool& strings) {
  sums_->run.has_ops = sums_->run.has_ops || !rank.names.empty();
  sums_->run.has_device = sums_->run.has_device || rank.has_device;
  sums_->run.has_shapes = sums_->run.has_shapes || !rank.by_shape.empty();
  sums_->run.has_timeline = sums_->run.has_timeline && rank.has_timeline;
  sums_->run.knows_recomputed = sums_->run.knows_recomputed || rank.knows_recomputed;
  sums_->has_all_shapes = sums_->has_all_shapes && rank.has_all_shapes;
  OpRows names = OpRowsFrom(rank.names, strings);
  // Without shapes the rows are those of the names.
  sums_->by_shape.Add(rank.by_shape.empty() ? names : OpRowsFrom(rank.by_shape, strings));
  sums_->by_name.Add(std::move(names));
}

void OpPool::AddTables(catalog::Output& out) && {
  if (!sums_->run.has_ops) {
    for (const char* id : {"ops", "ops_by_shape", "ops_by_stack", "op_types"}) {
      out.SetTableAbsent(id, out.Gap(Capability::kHostOps));
    }
    return;
  }
  AddNames(std::move(sums_->by_name.rows), sums_->run, out);
  if (!sums_->has_all_shapes) return;
  AddSplitTable(std::move(sums_->by_shape.rows), sums_->run, OpGrouping::kShapes, out);
}

void AddOpTables(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  RunOps run;
  std::map<OpGrouping, PooledOps> pooled;
  std::vector<OpGrouping> by = {OpGrouping::kName};
  for (const OpGrouping second : {OpGrouping::kShapes, OpGrouping::kStack}) {
    if (!HasSecond(ranks, second)) continue;
    by.push_back(second);
    run.has_shapes = run.has_shapes || second == OpGrouping::kShapes;
  }
  for (const iterations::RankContext& rank : ranks) {
    const RankOps ops(rank);
    run.has_ops = run.has_ops || !ops.rows.empty();
    run.has_device = run.has_device || rank.has_device();
    run.has_timeline = run.has_timeline && rank.profile->has_timeline;
    run.knows_recomputed = run.knows_recomputed || ops.knows_recomputed;
    auto grouped = GroupOps(ops, by, out.strings());
    for (std::size_t i = 0; i < by.size(); ++i) pooled[by[i]].Add(std::move(grouped[i]));
  }
  if (!run.has_ops) {
    for (const char* id : {"ops", "ops_by_shape", "ops_by_stack", "op_types"}) {
      out.SetTableAbsent(id, out.Gap(Capability::kHostOps));
    }
    return;
  }
  AddNames(std::move(pooled[OpGrouping::kName].rows), run, out);
  for (const OpGrouping second : {OpGrouping::kShapes, OpGrouping::kStack}) {
    AddSplitTable(std::move(pooled[second].rows), run, second, out);
  }
}

}  // namespace profgauge::analysis::ops
