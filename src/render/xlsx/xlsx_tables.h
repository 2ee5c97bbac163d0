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

/// A table of a sheet with its columns that can be summed.
struct TotalsOfTable {
  std::string sheet, title;
  std::size_t first = 0, last = 0;  ///< Rows of the sheet.
  std::size_t all = 0;              ///< Number of rows in the run.
  std::size_t named = 0;            ///< Number of rows with a first cell.
  struct Column {
    std::optional<std::size_t> index;
    double sum = 0;
  };
  Column time, calls, bytes;  ///< Times in ms, counts, and sizes in MB.
};
/// Number of rows and sums of each table, as formulas that follow the filters of its sheet.
void AddTotalsSheet(XlsxBook& book, const std::vector<TotalsOfTable>& totals);

/// Adds a sheet for each sheet name in report/table_look.cc, with its tables that have rows, in the
/// order of that list; then one for each other table. Tables of one sheet follow each other, with
/// titles. Heads have the column's definition as a note.
std::vector<TotalsOfTable> AddTableSheets(XlsxBook& book, const report::Report& report);
/// The zero-based row of the head of a table that is first on its sheet; nothing for others.
std::optional<std::size_t> XlsxHeadRow(const report::Report& report, std::string_view id);

}  // namespace profgauge::render
