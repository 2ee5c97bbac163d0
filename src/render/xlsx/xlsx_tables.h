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

/// A table of a sheet, and its columns that can be summed.
struct TotalsOfTable {
  std::string sheet, title;
  std::size_t first = 0, last = 0;  ///< Rows of the sheet.
  std::size_t all = 0;              ///< Rows that the run has.
  std::size_t named = 0;            ///< Rows with a text or number in the first column.
  struct Column {
    std::optional<std::size_t> index;
    double sum = 0;
  };
  Column time, calls, bytes;  ///< In ms, as counts, and in MB.
};
/// Rows and sums of each table, as formulas that follow the filters of its sheet.
void AddTotalsSheet(XlsxBook& book, const std::vector<TotalsOfTable>& totals);

/// A sheet for each name of report/table_look.cc with its tables that have rows, in the order of
/// that list; then one for each table that the list does not know. Tables that share a sheet are
/// below each other, with their titles. Heads have the definition of their column as a note.
std::vector<TotalsOfTable> AddTableSheets(XlsxBook& book, const report::Report& report);
/// The row, from 0, of the head of a table that is the first on its sheet; nothing for others.
std::optional<std::size_t> XlsxHeadRow(const report::Report& report, std::string_view id);

}  // namespace profgauge::render
