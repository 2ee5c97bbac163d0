#include "analysis/tables/row_writer.h"

#include <stdexcept>
#include <string>

namespace profgauge {

void RequireColumns(const Table& table, std::span<const ColumnSpec> columns) {
  const bool are_these =
      std::equal(table.columns().begin(), table.columns().end(), columns.begin(), columns.end(),
                 [](const Column& has, const ColumnSpec& is) { return has.id() == is.id; });
  if (are_these) return;
  throw std::logic_error("table " + table.id() + ": its rows are written by another's columns");
}

void RefuseCell(const Table& table, std::string_view given, std::string_view expected) {
  throw std::logic_error("table " + table.id() + ": a cell of column " + std::string(given) +
                         " where that of " + std::string(expected) + " comes");
}

}  // namespace profgauge
