// Takes over the values of an aggregation, and compares them with the rows.
#include "readers/dlprof/database_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/metric_id.h"
#include "base/numbers.h"
#include "base/whole.h"
#include "knowledge/loss.h"
#include "readers/database/sqlite_table.h"
#include "readers/dlprof/database.h"
#include "readers/dlprof/statements.h"
#include "readers/dlprof/stating.h"
#include "readers/times.h"

namespace profgauge::readers::dlprof {
namespace {

Only OfAggregation(const DatabaseImport& import) { return {"aggr_id", {import.aggregation.id}}; }

struct Spread {
  Value mean, least, most;
};

struct Sums {
  std::map<std::int64_t, Ns> of_metric;  // Of metric: id to sum.
  std::map<std::int64_t, Spread> spreads;
  // Sums in node_time_metrics: node id to metric id.
  std::map<std::int64_t, std::int64_t> cpu, gpu, overhead, idle;
};

Result<Sums> ReadSums(DatabaseImport& import) {
  Sums sums;
  PROFGAUGE_TRY(auto metrics,
                TableScan::Open(*import.database, "metric",
                                {{{"id"}}, {{"sum"}}, {{"avg"}}, {{"min"}}, {{"max"}}}));
  PROFGAUGE_CHECK(metrics.ForEach([&] {
    sums.of_metric[metrics.Integer(0)] = metrics.Integer(1);
    const auto stored = [&](std::size_t column) {
      return metrics.IsSet(column) ? Value{metrics.Integer(column)} : Value{};
    };
    // The mean has a fraction. A number larger than any time is damaged.
    const auto mean = metrics.IsSet(2) ? Nearest(metrics.Real(2)) : std::nullopt;
    sums.spreads[metrics.Integer(0)] = {mean ? Value{*mean} : Value{}, stored(3), stored(4)};
  }));
  PROFGAUGE_TRY(auto nodes, TableScan::Open(*import.database, "node_time_metrics",
                                            {{{"id"}},
                                             {{"cpu_time_metric_id"}},
                                             {{"gpu_time_metric_id"}},
                                             {{"cpu_overhead_time_metric_id"}},
                                             {{"gpu_idle_time_metric_id"}}}));
  PROFGAUGE_CHECK(nodes.ForEach([&] {
    std::map<std::int64_t, std::int64_t>* const ids[] = {&sums.cpu, &sums.gpu, &sums.overhead,
                                                         &sums.idle};
    for (std::size_t i = 0; i < std::size(ids); ++i) {
      if (nodes.IsSet(i + 1)) (*ids[i])[nodes.Integer(0)] = nodes.Integer(i + 1);
    }
  }));
  return sums;
}

/// Sums of times of one kind: of the rows, and as stored.
struct Totals {
  double of_rows = 0, stored = 0;
};

/// Compares sums of rows with the stored sums and counts each difference in the import log. If a
/// stored total exceeds that of the rows by more than a tolerance, rows are missing in the file.
class Check {
 public:
  Check(DatabaseImport& import, Sums sums) : import_(import), sums_(std::move(sums)) {}

  void Hold(const std::string& what, Ns of_rows, Ns stored, Totals& totals) {
    totals.of_rows += static_cast<double>(of_rows);
    totals.stored += static_cast<double>(stored);
    Hold(what, of_rows, stored);
  }
  /// Counts rows as lost if their sum is smaller than DLProf's.
  void CountLost(const std::string& what, const Totals& totals) {
    if (totals.stored - totals.of_rows <= knowledge::kLossTotalTolerance * totals.stored) return;
    import_.builder->log().AddAt(Counter::events_dropped,
                                 fmt::format("{}: {:.0f} ns in the rows, {:.0f} ns stored", what,
                                             totals.of_rows, totals.stored));
  }
  void Hold(const std::string& what, Ns of_rows, Ns stored) {
    ++checked_;
    if (of_rows == stored) return;
    import_.builder->log().AddAt(
        Counter::aggregates_differ,
        fmt::format("{}: {} ns in the rows, {} ns stored", what, of_rows, stored));
  }
  Ns Stored(const std::map<std::int64_t, std::int64_t>& ids, std::int64_t node) const {
    const auto id = ids.find(node);
    return id == ids.end() ? 0 : Sum(id->second);
  }
  Ns Sum(std::int64_t metric) const {
    const auto sum = sums_.of_metric.find(metric);
    return sum == sums_.of_metric.end() ? 0 : sum->second;
  }
  const Sums& sums() const { return sums_; }
  std::int64_t checked() const { return checked_; }

 private:
  DatabaseImport& import_;
  Sums sums_;
  std::int64_t checked_ = 0;
};

// The GPU time of an operator is the sum over its calls of the union of their kernels and copies.
//
//   call 1 of conv   [k1 0 -- 4) [k2 3 -- 6)      6, not 7
//   call 2 of conv   [k3 9 - 11)                  2; the operator has 8
std::map<std::int64_t, Ns> DeviceTimes(const DatabaseImport& import) {
  std::map<std::int64_t, Ns> times;
  for (const auto& [call, spans] : import.work) times[call.first] += Length(Merge(spans));
  return times;
}

/// Compares each operator's sums with those of its rows. Only the totals of all operators show
/// whether rows are missing.
Status CheckOps(DatabaseImport& import, Check& check) {
  const std::map<std::int64_t, Ns> device = DeviceTimes(import);
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "op_nodes",
                                           {{{"read_only_ops_id"}}, {{"node_time_metrics_id"}}},
                                           OfAggregation(import)));
  Totals host, gpu;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const std::int64_t op = scan.Integer(0);
    const std::string& name = import.ops[op].id;
    const auto of = [op](const std::map<std::int64_t, Ns>& times) {
      const auto at = times.find(op);
      return at == times.end() ? Ns{0} : at->second;
    };
    check.Hold("CPU time of " + name, of(import.cpu_time),
               check.Stored(check.sums().cpu, scan.Integer(1)), host);
    check.Hold("GPU time of " + name, of(device), check.Stored(check.sums().gpu, scan.Integer(1)),
               gpu);
  }));
  check.CountLost("CPU time of all operators", host);
  check.CountLost("GPU time of all operators", gpu);
  return {};
}

Status CheckKernels(DatabaseImport& import, Check& check) {
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(*import.database, "kernel_summaries",
                      {{{"read_only_ops_id"}}, {{"kernel_name_id"}}, {{"gpu_time_metric_id"}}},
                      OfAggregation(import)));
  Totals all;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const auto found = import.kernel_time.find({scan.Integer(0), scan.Integer(1)});
    check.Hold(
        fmt::format("{} in {}", import.Text(scan.Integer(1)), import.ops[scan.Integer(0)].id),
        found == import.kernel_time.end() ? 0 : found->second, check.Sum(scan.Integer(2)), all);
  }));
  check.CountLost("GPU time of all kernels", all);
  return {};
}

// The sum of a node; absent if the node has none.
Value SumAt(const Sums& sums, const std::map<std::int64_t, std::int64_t>& ids, std::int64_t node) {
  const auto id = ids.find(node);
  if (id == ids.end()) return {};
  const auto sum = sums.of_metric.find(id->second);
  return sum == sums.of_metric.end() ? Value{} : Value{sum->second};
}

// Adds total, mean, minimum and maximum, in the order of GroupColumns() and OpTypeColumns().
void AddTimes(const Sums& sums, const std::map<std::int64_t, std::int64_t>& ids, std::int64_t node,
              std::vector<Value>& row) {
  row.push_back(SumAt(sums, ids, node));
  const auto id = ids.find(node);
  const auto spread = id == ids.end() ? sums.spreads.end() : sums.spreads.find(id->second);
  const Spread of = spread == sums.spreads.end() ? Spread{} : spread->second;
  for (const Value& value : {of.mean, of.least, of.most}) row.push_back(value);
}

Status StateGroups(DatabaseImport& import) {
  PROFGAUGE_TRY(const Sums sums, ReadSums(import));
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "group_ops",
                                           {{{"group_op_full_name_id"}},
                                            {{"num_op_instances"}},
                                            {{"num_supported_leaf_ops"}},
                                            {{"num_tc_leaf_ops"}},
                                            {{"group_op_time_metrics_id"}},
                                            {{"row_type"}}},
                                           OfAggregation(import)));
  constexpr std::int64_t kGroup = 1;  // Other nodes are operators, the leaves of the tree.
  ReportedTable table{"op_groups", GroupColumns(), {}};
  PROFGAUGE_CHECK(scan.ForEach([&] {
    if (scan.Integer(5, kGroup) != kGroup) return;
    const std::int64_t times = scan.Integer(4, -1);
    std::vector<Value> row = {import.Text(scan.Integer(0, -1)), scan.Integer(1), scan.Integer(2),
                              scan.Integer(3)};
    for (const auto* ids : {&sums.cpu, &sums.gpu, &sums.overhead, &sums.idle}) {
      AddTimes(sums, *ids, times, row);
    }
    table.rows.push_back(std::move(row));
  }));
  if (!table.rows.empty()) import.builder->reported().tables.push_back(std::move(table));
  return {};
}

Status AddUnitsOfNodes(DatabaseImport& import, ReportedTable& types) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(
                    *import.database, "op_nodes",
                    {{{"read_only_ops_id"}}, {{"kernel_calls"}}, {{"tc_eligible"}}, {{"using_tc"}}},
                    OfAggregation(import)));
  UnitsByType units;
  bool has_units = false, has_kernels = false;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const auto op = import.ops.find(scan.Integer(0, -1));
    if (op == import.ops.end()) return;
    has_kernels = has_kernels || scan.IsSet(1);
    has_units = has_units || scan.IsSet(2);
    TypeUnits& of = units[op->second.type];
    AddTo(of.kernels, std::max<std::int64_t>(0, scan.Integer(1, 0)));
    of.is_eligible = of.is_eligible || scan.Integer(2, 0) == 1;
    of.uses = of.uses || scan.Integer(3, 0) == 1;
  }));
  if (has_units) AddUnits(units, has_kernels, types);
  return {};
}

// Reports each operator type with the values of DLProf's summary of types.
Status StateTypes(DatabaseImport& import) {
  PROFGAUGE_TRY(const Sums sums, ReadSums(import));
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(
          *import.database, "op_type_metrics",
          {{{"op_node_type_id"}}, {{"num_nodes"}}, {{"num_calls"}}, {{"op_type_metrics_id"}}},
          OfAggregation(import)));
  ReportedTable table{"op_types", OpTypeColumns(), {}};
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const std::int64_t times = scan.Integer(3, -1);
    std::vector<Value> row = {import.Text(scan.Integer(0, -1)), scan.Integer(1), scan.Integer(2),
                              SumAt(sums, sums.gpu, times)};
    for (const auto* ids : {&sums.cpu, &sums.gpu, &sums.overhead, &sums.idle}) {
      AddTimes(sums, *ids, times, row);
    }
    table.rows.push_back(std::move(row));
  }));
  if (table.rows.empty()) return {};
  PROFGAUGE_CHECK(AddUnitsOfNodes(import, table));
  import.builder->reported().tables.push_back(std::move(table));
  return {};
}

Status StateAdvice(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(*import.database, "expert_systems_feedback",
                                {{{"problem"}}, {{"recommendation"}}}, OfAggregation(import)));
  ReportedTable table{"dlprof_advice", AdviceColumns(), {}};
  PROFGAUGE_CHECK(scan.ForEach([&] {
    table.rows.push_back({std::string(scan.Text(0)), std::string(scan.Text(1))});
  }));
  if (!table.rows.empty()) import.builder->reported().tables.push_back(std::move(table));
  return {};
}

std::optional<double> Stated(const TableScan& scan, std::size_t column) {
  return scan.IsSet(column) ? std::optional(scan.Real(column)) : std::nullopt;
}

// Reports the columns of StateAggregation(): utilization, efficiency, seven parts of the time.
void StateShares(const DatabaseImport& import, const TableScan& scan, Stating& state) {
  enum : std::size_t {
    kUtilization = 1,
    kFirstPart = 3,
    kDataLoader = 6,
    kCpu = 7,
    kOther = 8,
    kIo = 9
  };
  std::vector<std::optional<double>> parts;
  for (std::size_t i = kFirstPart; i <= kIo; ++i) parts.push_back(Stated(scan, i));
  if (const std::string why = WhyTooMuch(parts); !why.empty()) {
    return state.None(kSharesOfTime, why);
  }
  if (import.kernels > 0) {
    state.Percent(metric::kGpuUtilizationMean, Stated(scan, kUtilization));
    state.Percent(metric::kBreakdownTensorCoreKernel, Stated(scan, kFirstPart));
    state.Percent(metric::kBreakdownOtherKernel, Stated(scan, kFirstPart + 1));
    state.Percent(metric::kBreakdownMemcpy, Stated(scan, kFirstPart + 2));
  }
  state.Percent(metric::kBreakdownDataloader, Stated(scan, kDataLoader));
  state.Percent(metric::kBreakdownCpu, Stated(scan, kCpu));
  state.Percent(metric::kDataloaderExposedShare, Stated(scan, kDataLoader));
  state.Percent(metric::kBreakdownOther, scan.Real(kOther) + scan.Real(kIo), "; with I/O");
}

}  // namespace

Status StateAggregation(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "model_summary",
                                           {{{"wall_time"}},
                                            {{"gpu_utilization"}},
                                            {{"tc_utilization"}},
                                            {{"tc_duration_pct"}},
                                            {{"non_tc_duration_pct"}},
                                            {{"memory_duration_pct"}},
                                            {{"dataloader_duration_pct"}},
                                            {{"cpu_duration_pct"}},
                                            {{"other_duration_pct"}},
                                            {{"io_duration_pct"}}},
                                           OfAggregation(import)));
  PROFGAUGE_TRY(const bool found, scan.Next());
  if (!found) return {};
  Stating state(*import.builder, Note(import.version));
  state.Whole(metric::kProfileWallTime, scan.Real(0));
  if (import.kernels + import.copies == 0) state.None(kSharesOfDevice, kNoDeviceWork);
  if (import.kernels > 0) state.Percent(metric::kTensorCoreEfficiency, Stated(scan, 2));
  StateShares(import, scan, state);
  PROFGAUGE_CHECK(StateTypes(import));
  PROFGAUGE_CHECK(StateGroups(import));
  return StateAdvice(import);
}

Status CheckSums(DatabaseImport& import) {
  PROFGAUGE_TRY(Sums sums, ReadSums(import));
  Check check(import, std::move(sums));
  PROFGAUGE_CHECK(CheckOps(import, check));
  PROFGAUGE_CHECK(CheckKernels(import, check));
  check.Hold("wall time", import.aggregation.window.length(), import.aggregation.wall);
  import.builder->AddFact("dlprof_sums_checked", fmt::format("{}", check.checked()));
  return {};
}

}  // namespace profgauge::readers::dlprof
