// Targets of launches, and the late rank, for scenarios: analysis/path/scenario_facts.h.
#include <algorithm>
#include <utility>

#include "analysis/path/scenario_facts.h"
#include "analysis/tables/rank_columns.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/work_columns.h"

namespace profgauge::analysis::path {
namespace {

// A time of the row as part of another.
double PartOfTime(const Column& cells, std::size_t row, double time) {
  if (!cells.absent_because().empty() || cells.IsAbsentAt(row) || time <= 0) return -1;
  return std::min(1.0, static_cast<double>(cells.IntegerAt(row)) / time);
}

double ShareAt(const Column& cells, std::size_t row) {
  if (!cells.absent_because().empty() || cells.IsAbsentAt(row)) return -1;
  return std::min(1.0, cells.RealAt(row));
}

}  // namespace

std::optional<std::size_t> StragglerOf(const tables::Output& out) {
  const Table* ranks = out.Added("ranks");
  if (ranks == nullptr) return std::nullopt;
  const auto* straggles = tables::ColumnOf<tables::columns::kRanks>(ranks, "straggles"_col);
  if (!straggles->absent_because().empty()) return std::nullopt;
  for (std::size_t row = 0; row < ranks->rows(); ++row) {
    if (!straggles->IsAbsentAt(row) && straggles->IntegerAt(row) != 0) return row;
  }
  return std::nullopt;
}

// The roofline has one row for each operator with its shapes; its times are sums over kernels. As
// parts of the summed time they hold for each kernel of the operator.
LaunchTargets LaunchTargetsOf(tables::Output& out, std::size_t ranks) {
  LaunchTargets found;
  const Table* table = out.Added("roofline");
  if (table == nullptr) return found;
  const auto* times = tables::ColumnOf<tables::columns::kRoofline>(table, "time"_col);
  const auto* shares = tables::ColumnOf<tables::columns::kRoofline>(table, "roof_share"_col);
  const auto* targets = tables::ColumnOf<tables::columns::kRoofline>(table, "target"_col);
  const auto* of_matrix_units =
      tables::ColumnOf<tables::columns::kRoofline>(table, "matrix_target"_col);
  const auto* shapes = tables::ColumnOf<tables::columns::kRoofline>(table, "input_shapes"_col);
  const auto* kinds = tables::ColumnOf<tables::columns::kRoofline>(table, "kind"_col);
  const auto* traits = tables::ColumnOf<tables::columns::kRoofline>(table, "trait"_col);
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const auto time = static_cast<double>(times->IntegerAt(row));
    found.ops.push_back({ShareAt(*shares, row), PartOfTime(*targets, row, time),
                         PartOfTime(*of_matrix_units, row, time), TextAt(*table, *shapes, row),
                         TextAt(*table, *kinds, row), TextAt(*table, *traits, row)});
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    found.op_of.push_back(std::move(out.RowsOfDevice("roofline", rank)));
  }
  return found;
}

}  // namespace profgauge::analysis::path
