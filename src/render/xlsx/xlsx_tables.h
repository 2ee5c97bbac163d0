#pragma once

#include <xlsxwriter.h>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "base/value.h"
#include "render/xlsx/xlsx_book.h"
#include "report/report.h"
#include "report/table_look.h"

namespace profgauge::render {

/// A table of a sheet, with those of its columns that can be summed.
struct TotalsOfTable {
  std::string sheet, title;
  std::string which;                ///< Which rows the sheet has; empty: all.
  std::size_t first = 0, last = 0;  ///< Rows of the sheet.
  std::size_t all = 0;              ///< Number of rows in the run.
  std::size_t named = 0;            ///< Rows whose first cell has a value.
  struct Column {
    std::optional<std::size_t> index;
    double sum = 0;
  };
  Column time, calls, bytes;  ///< Times in ms, counts, and sizes in MB.
};
/// The number of rows and the sums of each table, as formulas that follow the filters of its sheet.
void AddTotalsSheet(XlsxBook& book, const std::vector<TotalsOfTable>& totals);

/// Whether a table has a sheet: several rows, or a named range. A single row is in About.
bool HasSheet(const Table& table);

/// Adds a sheet for each table that has one, in the order of report/table_look.cc: heads,
/// then rows, and nothing else, so that programs read it as it is. The head of a column has its
/// definition as a note; the first one also says which rows the sheet has if it lacks some.
std::vector<TotalsOfTable> AddTableSheets(XlsxBook& book, const report::Report& report);

}  // namespace profgauge::render
