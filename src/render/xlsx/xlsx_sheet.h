// A sheet of a workbook: numbers as numbers, text always as text, tables with filters, column
// widths from the contents.
//
// A sheet is written from the top, and laid out last:
//
//   XlsxSheet sheet(book, "Findings");
//   sheet.Text(1, 0, …), sheet.Cell(1, 1, …) …      cells, from the row below the heads
//   sheet.AddTable(0, columns, rows, "t_findings")   heads, filters, data bars
//   sheet.Freeze(1, 1)
//   sheet.FitColumns()                               widths, from all that was written
//
// Rows and columns count from 0.
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

/// Maximum rows of a sheet; the others are counted, not shown.
using report::kXlsxRows;

/// A column of a table to be.
struct XlsxColumn {
  std::string title;
  Unit unit = Unit::kText;  ///< kNumber for numbers of several units.
};

/// How text of column `index` is written: with a space before it where a number is on its left,
/// since numbers end at the right edge of their cell and texts begin at the left.
XlsxStyle XlsxTextStyle(const std::vector<XlsxColumn>& columns, std::size_t index);

/// One sheet. Errors of the library are kept by the book, and returned by its Finish().
class XlsxSheet {
 public:
  /// Adds a sheet at the end of the book, for landscape A4, one page wide. `name`: at most 31
  /// characters, without []:*?/\, and no other sheet's. The book must outlive it.
  XlsxSheet(XlsxBook& book, const std::string& name);

  /// Text, whatever it looks like: "=1+1" stays a text. An empty one writes nothing. Long lines in
  /// plain style are clipped to their cell.
  void Text(std::size_t row, std::size_t column, std::string_view text,
            XlsxStyle style = XlsxStyle::kPlain);
  /// A number as it is; one that is not finite stays empty, since a workbook has no such number.
  void Number(std::size_t row, std::size_t column, double value, XlsxStyle style);
  /// A value of `unit`, scaled as XlsxUnitOf says; absent and not finite ones stay empty.
  void Cell(std::size_t row, std::size_t column, const Value& value, Unit unit,
            XlsxStyle text_style = XlsxStyle::kPlain);
  /// A number with its unit in the format, for columns of mixed units; "–" when it is absent.
  void Mixed(std::size_t row, std::size_t column, const report::Quantity& quantity);
  /// A formula, and its value for readers that do not compute. REQUIRES: the formula is ours, and
  /// no text of a profile is in it.
  void Formula(std::size_t row, std::size_t column, const std::string& formula, double value,
               XlsxStyle style);
  /// A note at a cell, at most 300 characters.
  void Note(std::size_t row, std::size_t column, std::string_view text);
  /// A link to a cell of another sheet ("internal:'Evidence'!A5") or a web address.
  void Link(std::size_t row, std::size_t column, const std::string& target, std::string_view text);

  /// Cells of rows first to last take one of these words.
  void AskForChoice(std::size_t first, std::size_t last, std::size_t column,
                    std::vector<std::string> words);
  /// Cells of rows first to last, now empty, take a date.
  void AskForDate(std::size_t first, std::size_t last, std::size_t column);

  /// Turns the cells written below `row` into a table with filters, and writes its heads into
  /// `row`. Share columns get data bars; `level`: index of a column whose words are colored. Equal
  /// heads are numbered, since a table must not have two. Without rows only the heads are written.
  /// Returns the row below the table. REQUIRES: `name` is no other table's in the book, and does
  /// not look like an address.
  std::size_t AddTable(std::size_t row, const std::vector<XlsxColumn>& columns, std::size_t rows,
                       const std::string& name, int level = -1);

  /// Makes `row` a level of an outline that readers can fold: 0 to 7, deeper ones count as 7.
  void Outline(std::size_t row, std::size_t level);
  /// Makes `row` as high as `text` needs in a column of the widest kind.
  void FitRow(std::size_t row, std::string_view text);
  /// Rows and columns that stay while the reader scrolls; the rows are repeated on each printed
  /// page.
  void Freeze(std::size_t rows, std::size_t columns);
  /// Sets the widths of columns by their contents: 8 to 60 characters.
  void FitColumns();
  /// Prints rows and columns up to these, not included, on one page.
  void PrintOnOnePage(std::size_t rows, std::size_t columns);

  /// "='Kernels'!$E$2:$E$68" without the sign, for formulas; both ends are part of it.
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
  std::vector<std::pair<double, int>> largest_;  ///< By column: its widest number, the decimals.
  std::map<std::size_t, std::size_t> lines_;     ///< Lines of rows that are higher than one.
};

}  // namespace profgauge::render
