// The presentation of each table of the catalog, in one list: its section, its order, its number of
// rows, its sheet, whether Markdown has it. Page, workbook, Markdown and report.json take it from
// here, so that a new table is one row; a test holds the list complete.
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
  std::string_view sheet;      ///< In the workbook; tables of one sheet are below each other.
  std::size_t sheet_rows = 0;  ///< The most rows there; 0: the workbook's own limit.
  /// If a table has more rows, those with the largest values of this column, kXlsxTellingRows of
  /// them where `sheet_rows` is set; empty: the first.
  std::string_view sheet_by{};

  bool is_main = false;          ///< Wanted by most readers of the page: more rows, unfolded.
  bool is_long = false;          ///< Wanted by nearly all of them: most rows, without scripts, too.
  bool opens_rows = false;       ///< Its rows open to others, or are summed again by scripts.
  bool is_summed_again = false;  ///< Of its rows scripts make sums of a chosen rank and range.
  bool has_rows_of_each_rank = false;  ///< With many ranks a page has some of each.
  bool needs_timeline = false;         ///< In a page its rows come with the timeline or not at all.
  bool names_are_words = false;        ///< Its texts are no code that Markdown sets as such.
  Order order = Order::kHeaviestFirst;
  std::size_t page_rows = 0;  ///< The most rows that a page holds; 0: the page's limit.
  /// Section of the page, if it is outside the section of tables.
  std::string_view other_section = {};
  /// Columns that the page shows at first, in this order: names of a row, keys of groups,
  /// then numbers. The others are one click away. Empty: as many as fit, names first.
  std::span<const std::string_view> page_columns{};

  std::string_view not_in_markdown = {};                 ///< Why; empty: Markdown has it.
  std::span<const std::string_view> markdown_columns{};  ///< Empty: the first eight.

  bool is_bulk = false;       ///< A row for each event: report.json leaves it out.
  std::size_t json_rows = 0;  ///< The first rows are in report.json; 0: the 10 000 heaviest.
};

/// In the order of every output.
std::span<const TableLook> TableLooks();

/// A table without a row here, e.g. of a newer version's report.json, has the default look: it
/// comes after the others with its rows in their order, in a separate sheet, and not in Markdown.
const TableLook* FindTableLook(std::string_view id);

/// Whether a column is only shown if it has a value other than 0, and has none: unobserved time,
/// which most profiles do not have, and without which the parts of an iteration do not add up.
bool IsHidden(const Column& column);

/// One sentence about a column, from the catalog; empty for columns of newer versions.
std::string_view ColumnDoc(std::string_view table, std::string_view column);

/// Rows of a table in the workbook at most.
inline constexpr std::size_t kXlsxRows = 10'000;
/// For a table with more rows than its `sheet_rows`, if a column shows which rows matter.
inline constexpr std::size_t kXlsxTellingRows = 1'000;
/// All rows, or as many as the two say.
std::size_t RowsInWorkbook(const Table& table);

/// Rows of a table in its order, with a maximum: if it has more, those with the largest
/// `sheet_by`, else the first.
std::vector<std::size_t> TellingRows(const Table& table, std::size_t most);

/// Which file has all rows of a table, or else most: "report.json has all of them".
std::string WhereRowsAre(const Table& table);

/// The sort column of the rows, largest first; nullptr where they keep their order.
const Column* HeaviestColumn(const Table& table);

}  // namespace profgauge::report
