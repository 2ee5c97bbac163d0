// A sheet of a workbook. Numbers are numbers, text is always text, tables have filters, and columns
// are as wide as their contents.
//
// A sheet is written from the top, and its layout is set last:
//
//   XlsxSheet sheet(book, "Findings");
//   sheet.Text(1, 0, …), sheet.Cell(1, 1, …) …      cells, from the row below the heads
//   sheet.AddTable(0, columns, rows, "t_findings")   heads and filters
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

/// Most rows of a sheet. If there are more, their number is shown.
using report::kXlsxRows;

/// A column of a new table.
struct XlsxColumn {
  std::string title;
  Unit unit = Unit::kText;  ///< kNumber if rows have other units.
};

/// The style of text in column `index`. If a number is at its left, the text begins with a space,
/// because numbers are aligned right and texts left.
XlsxStyle XlsxTextStyle(const std::vector<XlsxColumn>& columns, std::size_t index);

/// One sheet. The book stores errors of the library, and Finish() returns them.
class XlsxSheet {
 public:
  /// Adds a sheet at the end of the book, for landscape A4, one page wide. `name` must be unique,
  /// with at most 31 characters, and without []:*?/\. The book must outlive the sheet.
  XlsxSheet(XlsxBook& book, const std::string& name);

  /// Writes text, never a formula: "=1+1" stays text. An empty text writes nothing. In plain style,
  /// a long line is clipped to its cell.
  void Text(std::size_t row, std::size_t column, std::string_view text,
            XlsxStyle style = XlsxStyle::kPlain);
  /// Writes a number. Infinite numbers and NaN leave the cell empty, because workbooks have none.
  void Number(std::size_t row, std::size_t column, double value, XlsxStyle style);
  /// Writes a value, scaled by XlsxUnitOf(). Absent, infinite and NaN values leave the cell empty.
  void Cell(std::size_t row, std::size_t column, const Value& value, Unit unit,
            XlsxStyle text_style = XlsxStyle::kPlain);
  /// Writes a number whose format has the unit, for columns of mixed units; "–" if it is absent.
  void Mixed(std::size_t row, std::size_t column, const report::Quantity& quantity);
  /// Writes a formula and its value, which programs that do not compute show. REQUIRES: the formula
  /// has no text from a profile.
  void Formula(std::size_t row, std::size_t column, const std::string& formula, double value,
               XlsxStyle style);
  /// A note at a cell, at most 300 characters.
  void Note(std::size_t row, std::size_t column, std::string_view text);
  /// Adds a link to a cell of another sheet ("internal:'Evidence'!A5") or to a web address.
  void Link(std::size_t row, std::size_t column, const std::string& target, std::string_view text);

  /// Restricts the cells of rows `first` to `last` to these words.
  void AskForChoice(std::size_t first, std::size_t last, std::size_t column,
                    std::vector<std::string> words);
  /// Makes the empty cells of rows `first` to `last` fields for dates.
  void AskForDate(std::size_t first, std::size_t last, std::size_t column);

  /// Makes the cells below `row` a table with filters, and writes its heads into `row`. No data
  /// bars: those that all programs draw give a value of 0 a tenth of the cell. `level`: the index
  /// of a column whose words are colored. Equal heads are numbered, because a table must not have
  /// them twice. If there are no rows, writes only heads. Returns the row below the table.
  /// REQUIRES: `name` is unique in the book and does not look like an address.
  std::size_t AddTable(std::size_t row, const std::vector<XlsxColumn>& columns, std::size_t rows,
                       const std::string& name, int level = -1);

  /// Sets the outline level of `row`, by which readers can fold it: 0 to 7. Deeper ones count as 7.
  void Outline(std::size_t row, std::size_t level);
  /// Makes `row` so high that `text` fits into a column of the largest width.
  void FitRow(std::size_t row, std::string_view text);
  /// Keeps the first rows and columns visible while the user scrolls. Printing repeats the rows on
  /// each page.
  void Freeze(std::size_t rows, std::size_t columns);
  /// Sets the widths of columns by their contents: 8 to 60 characters.
  void FitColumns();
  /// Prints the rows and columns before these on one page.
  void PrintOnOnePage(std::size_t rows, std::size_t columns);

  /// A range for formulas, without a sign: "='Kernels'!$E$2:$E$68". Both ends are included.
  std::string RangeOf(std::size_t first_row, std::size_t last_row, std::size_t column) const;

  std::size_t columns() const { return widths_.size(); }  ///< Those with a cell.
  lxw_worksheet* handle() { return sheet_; }
  XlsxBook& book() { return book_; }
  const std::string& name() const { return name_; }

 private:
  void Widen(std::size_t column, std::string_view text);
  void WidenTo(std::size_t column, double value, int decimals);
  void ColourLevels(std::size_t first, std::size_t last, std::size_t column);

  XlsxBook& book_;
  lxw_worksheet* sheet_ = nullptr;
  std::string name_;
  std::vector<std::size_t> widths_;
  std::vector<std::pair<double, int>> largest_;  ///< By column: widest number.
  std::map<std::size_t, std::size_t> lines_;     ///< For rows with several lines.
};

}  // namespace profgauge::render
