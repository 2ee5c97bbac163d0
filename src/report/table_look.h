// How outputs present each table of the catalog: section, order, number of rows, sheet, Markdown.
// Page, workbook, Markdown and report.json use this list, so a new table is one row; a test ensures
// that the list is complete.
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
  std::string_view sheet;      ///< In the workbook, for this table alone.
  std::size_t sheet_rows = 0;  ///< Most rows in the sheet; 0: the workbook's limit.
  /// If a table has more rows than fit, those with the largest values of this column are chosen
  /// (only kXlsxTellingRows of them if `sheet_rows` is set). Empty: the first rows are.
  std::string_view sheet_by{};
  /// Rows with 0 in `sheet_by` only surround the others: Markdown omits them.
  bool has_context = false;

  bool is_main = false;          ///< Most readers of the page want it: more rows, unfolded.
  bool is_long = false;          ///< Nearly all readers want it: most rows, also without scripts.
  bool opens_rows = false;       ///< Rows open to other rows, or scripts sum them again.
  bool is_summed_again = false;  ///< Scripts sum its rows for a chosen rank and range.
  bool has_rows_of_each_rank = false;  ///< With many ranks, a page has some rows of each.
  bool needs_timeline = false;         ///< In a page, only together with the timeline.
  bool names_are_words = false;        ///< Its texts are words, not code, in Markdown.
  Order order = Order::kHeaviestFirst;
  std::size_t page_rows = 0;  ///< Most rows of a page; 0: the page's limit.
  /// Its section of the page if it is not in the section of tables.
  std::string_view other_section = {};
  /// Columns that the page shows at first, in this order: names of a row, keys of groups, numbers.
  /// Others are one click away. Empty: as many as fit, names first.
  std::span<const std::string_view> page_columns{};

  std::string_view not_in_markdown = {};  ///< The reason why Markdown omits it; empty: it does not.
  std::span<const std::string_view> markdown_columns{};  ///< Empty: the first eight.

  bool is_bulk = false;       ///< One row per event: report.json omits it.
  std::size_t json_rows = 0;  ///< report.json has this many first rows; 0: the 10 000 heaviest.
};

/// The list, in the order of every output.
std::span<const TableLook> TableLooks();

/// Returns the look of a table; nullptr without an entry, e.g. for a table of a newer version's
/// report.json. Such a table comes last, with its rows in order, in its own sheet, not in Markdown.
const TableLook* FindTableLook(std::string_view id);

/// Whether a column has the part of another that is outside the selected iterations.
bool IsOfOutside(std::string_view column);

/// True if a column is shown only with values other than 0 and has none: unobserved time, which
/// most profiles do not have, but which the parts of an iteration need to add up; and the parts
/// outside the iterations.
bool IsHidden(const Column& column);

/// A sentence about a column, from the catalog; empty for columns of newer versions.
std::string_view ColumnDoc(std::string_view table, std::string_view column);

/// The most rows of a table in the workbook.
inline constexpr std::size_t kXlsxRows = 10'000;
/// The most rows of larger tables (see `sheet_rows`) with a column that shows which rows matter.
inline constexpr std::size_t kXlsxTellingRows = 1'000;
/// The number of rows in the workbook, within these two limits.
std::size_t RowsInWorkbook(const Table& table);

/// Selects at most `most` rows of a table, in its order: those with the largest `sheet_by`, else
/// the first.
std::vector<std::size_t> TellingRows(const Table& table, std::size_t most);

/// Names the option that writes all rows of a table, or most: "--json writes all of them".
std::string WhereRowsAre(const Table& table);

/// The column that sorts the rows, largest first; nullptr if they keep their order.
const Column* HeaviestColumn(const Table& table);

}  // namespace profgauge::report
