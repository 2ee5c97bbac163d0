// How each table of the catalogue is shown, in one list: where it stands, what it is sorted by, how
// much of it, in which sheet, whether Markdown has it. Page, workbook, Markdown and report.json
// take it from here, so that a new table is one row; a test holds the list complete.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"

namespace profgauge::report {

struct TableLook {
  enum class Order : bool { kHeaviestFirst, kAsItStands };

  std::string_view id;
  std::string_view sheet;      ///< Of the workbook; tables of one sheet are below each other.
  std::size_t sheet_rows = 0;  ///< The most rows there; 0: the workbook's own limit.
  /// Of a table with more, those with the most of this column, kXlsxTellingRows of them where
  /// `sheet_rows` is set; empty: the first.
  std::string_view sheet_by{};

  bool is_main = false;     ///< What most readers of the page look for: more rows, open.
  bool is_long = false;     ///< Of these what nearly all look for: most rows, without scripts, too.
  bool opens_rows = false;  ///< Its rows open to others where scripts run.
  bool needs_timeline = false;   ///< In a page its rows come with the timeline or not at all.
  bool names_are_words = false;  ///< Its texts are no code that Markdown sets as such.
  Order order = Order::kHeaviestFirst;
  std::size_t page_rows = 0;            ///< The most rows that a page holds; 0: the page's limit.
  std::string_view other_section = {};  ///< Of the page, where it does not stand among the tables.
  /// Columns that the page shows at first, in this order: what names a row, what rows are grouped
  /// by, then numbers. The others are one click away. Empty: as many as fit, names first.
  std::span<const std::string_view> page_columns{};

  std::string_view not_in_markdown = {};                 ///< Why; empty: Markdown has it.
  std::span<const std::string_view> markdown_columns{};  ///< Empty: the first eight.

  bool is_bulk = false;       ///< A row for each event: report.json leaves it out.
  std::size_t json_rows = 0;  ///< The first rows are in report.json; 0: the 10 000 heaviest.
};

/// In the order of every output.
std::span<const TableLook> TableLooks();

/// A table without a row, as one of a newer version's report.json, has the look of none: it stands
/// behind the others with its rows in their order, in a separate sheet, and Markdown lacks it.
const TableLook* FindTableLook(std::string_view id);

/// One sentence on what a column says, from the catalogue; empty for columns of newer versions.
std::string_view ColumnDoc(std::string_view table, std::string_view column);

/// Rows of a table in the workbook at most.
inline constexpr std::size_t kXlsxRows = 10'000;
/// Of a table with more than its `sheet_rows`, where a column shows which rows matter.
inline constexpr std::size_t kXlsxTellingRows = 1'000;
/// All rows, or as many as the two say.
std::size_t RowsInWorkbook(const Table& table);

/// At most so many rows of a table, in its order: where it has more, those with the most of
/// `sheet_by`, else the first.
std::vector<std::size_t> TellingRows(const Table& table, std::size_t most);

/// Which file has all rows of a table, or else most: "report.json has all of them".
std::string WhereRowsAre(const Table& table);

/// What the rows are sorted by, largest first; nullptr where they keep their order.
const Column* HeaviestColumn(const Table& table);

}  // namespace profgauge::report
