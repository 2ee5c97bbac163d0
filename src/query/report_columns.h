// Columns of the tables that hold the rest of the report: metrics, limits, findings, and the
// schema itself.
#pragma once

#include <span>
#include <string_view>

#include "base/table.h"
#include "query/relation.h"

namespace profgauge::query {

/// A table that is in no catalog of the analysis.
struct TableShape {
  std::string_view id, title, doc;
  Origin origin = Origin::kReport;
  std::span<const ColumnSpec> columns;
};
std::span<const TableShape> ReportShapes();

}  // namespace profgauge::query
