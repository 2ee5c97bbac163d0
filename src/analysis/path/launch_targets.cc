// Targets of launches for scenarios: analysis/path/scenario_facts.h.
#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/path/scenario_facts.h"

namespace profgauge {
namespace {

// A time of the row as part of another.
double PartOfTime(const Table& table, std::string_view column, std::size_t row, double time) {
  const Column& cells = *table.Find(column);
  if (!cells.absent_because().empty() || cells.IsAbsentAt(row) || time <= 0) return -1;
  return std::min(1.0, static_cast<double>(cells.IntegerAt(row)) / time);
}

double ShareAt(const Table& table, std::string_view column, std::size_t row) {
  const Column& cells = *table.Find(column);
  if (!cells.absent_because().empty() || cells.IsAbsentAt(row)) return -1;
  return std::min(1.0, cells.RealAt(row));
}

}  // namespace

LaunchTargets LaunchTargetsOf(Output& out, std::size_t ranks) {
  LaunchTargets found;
  const Table* table = out.Added("roofline");
  if (table == nullptr) return found;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const auto time = static_cast<double>(table->Find("time")->IntegerAt(row));
    found.ops.push_back(
        {ShareAt(*table, "roof_share", row), PartOfTime(*table, "target", row, time),
         PartOfTime(*table, "matrix_target", row, time), TextAt(*table, "input_shapes", row),
         TextAt(*table, "kind", row), TextAt(*table, "trait", row)});
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    found.op_of.push_back(std::move(out.RowsOfDevice("roofline", rank)));
  }
  return found;
}

}  // namespace profgauge
