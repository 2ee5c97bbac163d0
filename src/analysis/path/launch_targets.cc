// Targets of launches for scenarios: analysis/path/scenario_facts.h.
#include <algorithm>
#include <utility>

#include "analysis/path/scenario_facts.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/work_columns.h"

namespace profgauge {
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

LaunchTargets LaunchTargetsOf(Output& out, std::size_t ranks) {
  LaunchTargets found;
  const Table* table = out.Added("roofline");
  if (table == nullptr) return found;
  const auto* times = ColumnOf<columns::kRoofline>(table, "time"_col);
  const auto* shares = ColumnOf<columns::kRoofline>(table, "roof_share"_col);
  const auto* targets = ColumnOf<columns::kRoofline>(table, "target"_col);
  const auto* of_matrix_units = ColumnOf<columns::kRoofline>(table, "matrix_target"_col);
  const auto* shapes = ColumnOf<columns::kRoofline>(table, "input_shapes"_col);
  const auto* kinds = ColumnOf<columns::kRoofline>(table, "kind"_col);
  const auto* traits = ColumnOf<columns::kRoofline>(table, "trait"_col);
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

}  // namespace profgauge
