#include "render/html/table_columns.h"

#include "render/html/view_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "base/format.h"
#include "report/table_look.h"

namespace profgauge::render::html {
namespace {

using Columns = std::vector<const Column*>;

// The width of a table in a window of 1 400 px, where the list of sections is beside it.
constexpr int kWindow = 1'110;
constexpr int kLetter = 8, kPadding = 24, kWidestName = 380, kWidestText = 260;

bool IsTreeColumn(const Column& column) {
  return column.id() == "node" || column.id() == "parent" || column.id() == "depth";
}

// True for a column of ranks or GPUs with one value in all rows. The table's note has the value,
// and other columns use the width.
bool IsConstantPlace(const Table& table, const Column& column) {
  if (column.id() != "rank" && column.id() != "gpu") return false;
  if (column.type() != CellType::kInteger || table.rows() < 2) return false;
  std::size_t same = 1;
  while (same < column.size() && column.IntegerAt(same) == column.IntegerAt(0)) ++same;
  return same == column.size();
}

bool AllAbsent(const Table& table, const Column& column) {
  if (!column.absent_because().empty()) return true;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!column.IsAbsentAt(i)) return false;
  }
  return table.rows() > 0;
}

// The length of the longest of the first texts in a column.
int LongestText(const Table& table, const Column& column) {
  constexpr std::size_t kRows = 100;
  std::size_t longest = 0;
  for (std::size_t row = 0; row < std::min(table.rows(), kRows); ++row) {
    if (!column.IsAbsentAt(row)) {
      longest = std::max(longest, table.strings()[column.TextAt(row)].size());
    }
  }
  return static_cast<int>(std::min<std::size_t>(longest, 1'000));
}

// The pixels that a column needs for its head and its first 100 texts. A number has nine letters.
int WidthOf(const Table& table, const Column& column, bool is_first) {
  const int head = static_cast<int>(column.title().size()) * kLetter;
  constexpr int kNumber = 9 * kLetter;
  const int cell = column.type() == CellType::kText
                       ? std::min(LongestText(table, column) * kLetter,
                                  is_first || column.id() == "name" ? kWidestName : kWidestText)
                       : kNumber;
  return std::max(head, cell) + kPadding;
}

// True if most texts of a column are long: lists of types and shapes, call stacks.
bool IsWide(const Table& table, const Column& column) {
  if (column.type() != CellType::kText) return false;
  constexpr std::size_t kRows = 100, kLong = 20;
  std::size_t bytes = 0, texts = 0;
  for (std::size_t row = 0; row < std::min(table.rows(), kRows); ++row) {
    if (column.IsAbsentAt(row)) continue;
    bytes += table.strings()[column.TextAt(row)].size();
    ++texts;
  }
  return texts > 0 && bytes / texts > kLong;
}

// Orders columns: the names of a row (at most three), the sort column, numbers, then wide texts, so
// that numbers are visible.
void Arrange(const Table& table, const Column* by, Columns& columns) {
  const auto name = std::find_if(columns.begin(), columns.end(),
                                 [](const Column* column) { return column->id() == "name"; });
  const bool counts_first =
      !columns.empty() && (columns.front()->id() == "iteration" || columns.front()->id() == "id");
  if (name != columns.end() && !counts_first) std::rotate(columns.begin(), name, name + 1);
  if (columns.size() < 2) return;
  const auto behind = columns.begin() + 1;
  std::stable_partition(behind, columns.end(), [&](const Column* column) {
    return !IsWide(table, *column) || column->id() == "name";
  });
  constexpr std::ptrdiff_t kMostKeys = 3;
  const auto number = std::find_if(columns.begin(), columns.end(),
                                   [](const Column* column) { return !IsLeft(column->unit()); });
  const auto keys = std::clamp<std::ptrdiff_t>(number - columns.begin(), 1, kMostKeys);
  const auto place =
      columns.begin() + std::min<std::ptrdiff_t>(keys, static_cast<std::ptrdiff_t>(columns.size()));
  const auto found = std::find(place, columns.end(), by);
  if (found != columns.end()) std::rotate(place, found, found + 1);
}

// Puts the columns of the table's look first, in its order. False if the table has no look.
bool ArrangeByLook(const Table& table, Columns& columns, std::size_t& listed) {
  const report::TableLook* look = report::FindTableLook(table.id());
  if (look == nullptr || look->page_columns.empty()) return false;
  listed = 0;
  for (const std::string_view id : look->page_columns) {
    const auto at = columns.begin() + static_cast<std::ptrdiff_t>(listed);
    const auto found =
        std::find_if(at, columns.end(), [&](const Column* column) { return column->id() == id; });
    if (found == columns.end() || report::IsHidden(**found)) continue;
    std::rotate(at, found, found + 1);
    ++listed;
  }
  return true;
}

// The index of the first of `most` columns that exceeds kWindow. The first column always fits.
std::size_t FirstThatDoNotFit(const Table& table, const Columns& columns, std::size_t most) {
  int width = 0;
  for (std::size_t i = 0; i < most; ++i) {
    width += WidthOf(table, *columns[i], i == 0);
    if (width > kWindow && i > 0) return i;
  }
  return most;
}

}  // namespace

bool IsLeft(Unit unit) { return unit == Unit::kText || unit == Unit::kBool; }

// Each column of the table goes to one of these places:
//
//   columns of a tree's structure     nowhere
//   one rank or GPU for all rows      constants, in the note
//   no value in any row               gaps, with the reason
//   fits beside the others            shown
//   the rest                          extra
ColumnChoice ChooseColumns(const Table& table, const Column* by) {
  ColumnChoice choice;
  Columns& columns = choice.shown;
  const bool is_tree = report::IsTree(table);
  for (const Column& column : table.columns()) {
    if (is_tree && IsTreeColumn(column)) continue;
    if (IsConstantPlace(table, column)) {
      choice.constants +=
          fmt::format("{}{} {}", choice.constants.empty() ? "" : ", ", column.title(),
                      FormatValue(table.At(0, column), column.unit()));
    } else if (!AllAbsent(table, column)) {
      columns.push_back(&column);
    } else {
      choice.gaps.emplace_back(column.title(), column.absent_because().empty()
                                                   ? "not recorded"
                                                   : column.absent_because());
    }
  }
  std::size_t most = columns.size();
  if (!ArrangeByLook(table, columns, most)) Arrange(table, by, columns);
  if (most == 0) most = columns.size();
  const auto fits =
      columns.begin() + static_cast<std::ptrdiff_t>(FirstThatDoNotFit(table, columns, most));
  choice.extra.assign(fits, columns.end());
  columns.erase(fits, columns.end());
  return choice;
}

}  // namespace profgauge::render::html
