// A sheet of a workbook: numbers as numbers, text always as text, tables with filters, and column
// widths that fit.
//
// A sheet is written from the top, and its layout is set last:
//
//   XlsxSheet sheet(book, "Findings");
//   sheet.Text(1, 0, …), sheet.Cell(1, 1, …) …      cells, from the row below the heads
//   sheet.AddTable(0, columns, rows, "t_findings")   heads, filters, data bars
//   sheet.Freeze(1, 1)
//   sheet.FitColumns()                               widths, from all that was written
//
// Rows and columns are zero-based.
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

/// Most rows of a sheet; others are only counted.
using report::kXlsxRows;

/// A column of a new table.
struct XlsxColumn {
  std::string title;
  Unit unit = Unit::kText;  ///< kNumber for mixed units.
};

/// The style of text in column `index`: with a leading space if a number is on its left, because
/// numbers are aligned right and texts left.
XlsxStyle XlsxTextStyle(const std::vector<XlsxColumn>& columns, std::size_t index);

/// One sheet. The book stores errors of the library and returns them from Finish().
class XlsxSheet {
 public:
  /// Adds a sheet at the end of the book, for landscape A4, one page wide. `name`: unique, at most
  /// 31 characters, without []:*?/\. The book must outlive it.
  XlsxSheet(XlsxBook& book, const std::string& name);

  /// Writes text, never a formula: "=1+1" stays text. An empty text writes nothing. Long lines in
  /// plain style are clipped to their cell.
  void Text(std::size_t row, std::size_t column, std::string_view text,
            XlsxStyle style = XlsxStyle::kPlain);
  /// Writes a number; infinite ones and NaN, which a workbook cannot store, leave the cell empty.
  void Number(std::size_t row, std::size_t column, double value, XlsxStyle style);
  /// Writes a value, scaled by XlsxUnitOf(); absent and infinite ones and NaN leave the cell empty.
  void Cell(std::size_t row, std::size_t column, const Value& value, Unit unit,
            XlsxStyle text_style = XlsxStyle::kPlain);
  /// Writes a number with its unit in the format, for columns of mixed units; "–" if absent.
  void Mixed(std::size_t row, std::size_t column, const report::Quantity& quantity);
  /// Writes a formula with its value, for readers that do not compute. REQUIRES: the formula is
  /// ours, without text from a profile.
  void Formula(std::size_t row, std::size_t column, const std::string& formula, double value,
               XlsxStyle style);
  /// A note at a cell, at most 300 characters.
  void Note(std::size_t row, std::size_t column, std::string_view text);
  /// Adds a link to a cell of another sheet ("internal:'Evidence'!A5") or a web address.
  void Link(std::size_t row, std::size_t column, const std::string& target, std::string_view text);

  /// Restricts the cells of rows first to last to these words.
  void AskForChoice(std::size_t first, std::size_t last, std::size_t column,
                    std::vector<std::string> words);
  /// Makes the empty cells of rows first to last date fields.
  void AskForDate(std::size_t first, std::size_t last, std::size_t column);

  /// Turns the cells written below `row` into a table with filters, and writes its heads into
  /// `row`. Share columns get data bars. `level`: index of a column whose words are colored. Equal
  /// heads are numbered, because a table must not have duplicates. Without rows, only heads are
  /// written. Returns the row below the table. REQUIRES: `name` is unique in the book and does not
  /// look like an address.
  std::size_t AddTable(std::size_t row, const std::vector<XlsxColumn>& columns, std::size_t rows,
                       const std::string& name, int level = -1);

  /// Sets the outline level of `row`, by which readers can fold: 0 to 7, deeper ones count as 7.
  void Outline(std::size_t row, std::size_t level);
  /// Sets the height of `row` so that `text` fits into a column of maximum width.
  void FitRow(std::size_t row, std::string_view text);
  /// Keeps the first rows and columns visible while scrolling; the rows are repeated on each
  /// printed page.
  void Freeze(std::size_t rows, std::size_t columns);
  /// Sets column widths by contents: 8 to 60 characters.
  void FitColumns();
  /// Prints rows and columns up to these (exclusive) on one page.
  void PrintOnOnePage(std::size_t rows, std::size_t columns);

  /// A range for formulas without the sign, "='Kernels'!$E$2:$E$68"; both ends are included.
  std::string RangeOf(std::size_t first_row, std::size_t last_row, std::size_t column) const;

  std::size_t columns() const { return widths_.size(); }  ///< Columns that have a text or number.
  lxw_worksheet* handle() { return sheet_; }
  XlsxBook& book() { return book_; }
  const std::string& name() const { return name_; }

 private:
  void Widen(std::size_t column, std::string_view text);
  void WidenTo(std::size_t column, double value, int decimals);
  void ColourLevels(std::size_t first, std::size_t last, std::size_t column);
  void AddBars(std::size_t first, std::size_t last, std::size_t column);

  XlsxBook& book_;
  lxw_worksheet* sheet_ = nullptr;
  std::string name_;
  std::vector<std::size_t> widths_;
  std::vector<std::pair<double, int>> largest_;  ///< By column: widest number, decimals.
  std::map<std::size_t, std::size_t> lines_;     ///< Number of lines of higher rows.
};

}  // namespace profgauge::render
