// A workbook and its sheets over libxlsxwriter: numbers as numbers with a format per unit, text
// always as text, tables with filters, column widths from what was written.
//
// Same calls, same bytes: the clock, the locale and the time zone have no part in it.
#pragma once

#include <xlsxwriter.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "base/value.h"
#include "profgauge/error.h"
#include "report/report.h"

namespace profgauge::render {

enum class XlsxStyle : std::uint8_t {
  kPlain,
  kTitle,
  kHeading,
  kBold,
  kWrap,  ///< Text of several lines, from the top of its cell.
  kMuted,
  kLink,
  kDate,
  kCount,
  kNumber,
  kMilliseconds,
  kPercent,
  kAmount,
  kGood,
  kBad,
  kWarn,
  kHead,
  kHeadRight,
  kHeadIndented,
  kIndented,  ///< Text behind a number, with a space between them.
  kClipped,   ///< Text that stays in its cell.
  kFree,      ///< Text that may run over its neighbours and widens no column.
};

/// How a unit is written: times in ms, sizes in MB, rates in GB/s and TFLOP/s; the rest as it is.
struct XlsxUnit {
  double factor = 1;
  std::string_view name;  ///< For the head of a column: "ms"; empty: none.
  XlsxStyle style = XlsxStyle::kPlain;
};
XlsxUnit XlsxUnitOf(Unit unit);

/// Rows that one sheet shows at most; what is beyond is said, not shown.
inline constexpr std::size_t kXlsxRows = 10'000;

class XlsxBook {
 public:
  /// `created` is written as the file's date, seconds since 1970.
  XlsxBook(const std::string& title, std::int64_t created);
  ~XlsxBook();
  XlsxBook(const XlsxBook&) = delete;
  XlsxBook& operator=(const XlsxBook&) = delete;

  /// The bytes of the file. Errors: kOutput "xlsx/library". Once, as the last call.
  Result<std::string> Finish();

  lxw_workbook* handle() { return book_; }
  lxw_format* Format(XlsxStyle style);
  /// The number format of `unit` with the unit behind the number, for columns of mixed units.
  lxw_format* FormatWithUnit(Unit unit);
  /// Keeps the first failure.
  void Check(lxw_error error);

 private:
  int file_ = -1;
  lxw_workbook* book_ = nullptr;
  std::map<XlsxStyle, lxw_format*> formats_;
  std::map<Unit, lxw_format*> unit_formats_;
  lxw_error error_ = LXW_NO_ERROR;
};

/// A column of a table to be.
struct XlsxColumn {
  std::string title;
  Unit unit = Unit::kText;  ///< kNumber for numbers of several units.
};

/// How text of column `index` is written: with a space before it where a number stands on its left.
XlsxStyle XlsxTextStyle(const std::vector<XlsxColumn>& columns, std::size_t index);

class XlsxSheet {
 public:
  /// `name`: at most 31 characters, without []:*?/\.
  XlsxSheet(XlsxBook& book, const std::string& name);

  void Text(std::size_t row, std::size_t column, std::string_view text,
            XlsxStyle style = XlsxStyle::kPlain);
  void Number(std::size_t row, std::size_t column, double value, XlsxStyle style);
  /// A value of `unit`, scaled as XlsxUnitOf says; absent and not finite ones stay empty.
  void Cell(std::size_t row, std::size_t column, const Value& value, Unit unit,
            XlsxStyle text_style = XlsxStyle::kPlain);
  /// A number with its unit in the format, for columns of mixed units; "–" when it is absent.
  void Mixed(std::size_t row, std::size_t column, const report::Quantity& quantity);
  /// A link to a cell of another sheet ("internal:'Evidence'!A5") or a web address.
  void Link(std::size_t row, std::size_t column, const std::string& target, std::string_view text);

  /// Turns the cells written below `row` into a table with filters, and writes its heads into
  /// `row`. Share columns get data bars; `level`: index of a column whose words are coloured.
  /// Without rows only the heads are written. Returns the row below the table.
  std::size_t AddTable(std::size_t row, const std::vector<XlsxColumn>& columns, std::size_t rows,
                       const std::string& name, int level = -1);

  /// Makes `row` a level of an outline that readers can fold: 0 to 7, deeper ones count as 7.
  void Outline(std::size_t row, std::size_t level);
  /// Makes `row` as high as `text` needs in a column of the widest kind.
  void FitRow(std::size_t row, std::string_view text);
  void Freeze(std::size_t rows, std::size_t columns);
  /// Sets the widths of columns by what was written: 8 to 60 characters.
  void FitColumns();

  lxw_worksheet* handle() { return sheet_; }
  XlsxBook& book() { return book_; }
  const std::string& name() const { return name_; }

 private:
  void Widen(std::size_t column, std::string_view text);
  void ColourLevels(std::size_t first, std::size_t last, std::size_t column);
  void AddBars(std::size_t first, std::size_t last, std::size_t column);

  XlsxBook& book_;
  lxw_worksheet* sheet_ = nullptr;
  std::string name_;
  std::vector<std::size_t> widths_;
  std::map<std::size_t, std::size_t> lines_;  ///< Of rows that are higher than one.
};

/// Text with its Markdown taken out: code without its backticks, list items with "•".
std::string XlsxProse(std::string_view markdown);

/// Text that a cell can hold: valid UTF-8 and XML, at most 32 767 characters.
std::string XlsxText(std::string_view text);

/// "$B$7" with `column` and `row` counted from 0.
std::string XlsxAddress(std::size_t row, std::size_t column);

}  // namespace profgauge::render
