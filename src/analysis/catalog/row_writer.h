// Fills a table row by row: each cell names its column, `row.Integer("kernels"_col, kernels)`.
// Column names are compile-time constants, so cells need no lookup, and a name that the table does
// not have, or has with another cell type, does not compile. Cells come in the order of the
// columns; missing or misplaced ones are rejected when the row is written.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/numbers.h"
#include "base/table.h"

namespace profgauge::analysis::catalog {

/// A literal as a compile-time value, so that it can be a template argument.
template <std::size_t kSize>
struct ColumnName {
  // Implicit, so that a literal converts to a name.
  consteval ColumnName(const char (&text)[kSize]) { std::copy_n(text, kSize, chars); }
  constexpr std::string_view view() const { return {chars, kSize - 1}; }
  char chars[kSize] = {};
};

/// The name of a column as an argument whose type encodes the name: `"kernels"_col`.
template <ColumnName kName>
struct Col {
  static constexpr std::string_view id() { return kName.view(); }
};
template <ColumnName kName>
constexpr Col<kName> operator""_col() {  // consteval does not link with clang 14
  return {};
}

}  // namespace profgauge::analysis::catalog

namespace profgauge {
using analysis::catalog::operator""_col;  // Each layer names columns.
}  // namespace profgauge

namespace profgauge::analysis::catalog {

/// The position of a column; the number of columns if there is none with that name.
constexpr std::size_t PlaceOf(std::span<const ColumnSpec> columns, std::string_view id) {
  std::size_t place = 0;
  while (place < columns.size() && columns[place].id != id) ++place;
  return place;
}
/// Whether the table has the column with this cell type. A constant expression, so that wrong names
/// do not compile.
constexpr bool HasCell(std::span<const ColumnSpec> columns, std::string_view id, CellType type) {
  const std::size_t place = PlaceOf(columns, id);
  return place < columns.size() && CellTypeOf(columns[place].unit) == type;
}

/// The name of a column in the table.
template <class Name, const auto& kColumns>
concept NamesColumn = (PlaceOf(kColumns, Name::id()) < std::size(kColumns));
/// The name of a column in the table with that cell type.
template <class Name, const auto& kColumns, CellType kType>
concept NamesCell = HasCell(kColumns, Name::id(), kType);

/// Throws if the table has other columns.
void RequireColumns(const Table& table, std::span<const ColumnSpec> columns);
/// Throws: column `given` was written although `expected` is next.
[[noreturn, gnu::cold]] void RefuseCell(const Table& table, std::string_view given,
                                        std::string_view expected);

/// Writes a table with the columns `kColumns` of the catalog, one cell after another; the last cell
/// of a row completes it. A cell for the wrong column throws, because the row would otherwise be
/// shifted unnoticed.
///
///   RowWriter<columns::kRegions> write(out.AddTable("regions"));
///   write.Integer("rank"_col, 0).Text("from"_col, "start")…      in the order of kRegions
template <const auto& kColumns>
class RowWriter {
  static constexpr std::size_t kWidth = std::size(kColumns);

 public:
  /// REQUIRES: the table has these columns with equally many rows, and outlives this.
  explicit RowWriter(Table& table) : table_(table) {
    RequireColumns(table, kColumns);
    for (std::size_t i = 0; i < kWidth; ++i) columns_[i] = &table.columns()[i];
  }
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  /// REQUIRES: the last row is complete, except after an exception.
  ~RowWriter() {
    assert((at_ == 0 || std::uncaught_exceptions() > 0) && "a row has too few cells");
  }

  template <NamesCell<kColumns, CellType::kInteger> Name>
  RowWriter& Integer(Name, std::int64_t value) {
    Next<Name>().AddInteger(value);
    return *this;
  }
  template <NamesCell<kColumns, CellType::kReal> Name>
  RowWriter& Real(Name, double value) {
    Next<Name>().AddReal(value);
    return *this;
  }
  template <NamesCell<kColumns, CellType::kReal> Name>
  RowWriter& Real(Name name, const std::optional<double>& value) {
    return value ? Real(name, *value) : Absent(name);
  }
  template <NamesCell<kColumns, CellType::kText> Name>
  RowWriter& Text(Name name, std::string_view value) {
    return Text(name, value.empty() ? StringId{} : table_.strings().Intern(value));
  }
  /// A text of the table's strings; absent if invalid. An interned empty text is not absent.
  template <NamesCell<kColumns, CellType::kText> Name>
  RowWriter& Text(Name, StringId value) {
    Next<Name>().AddText(value);
    return *this;
  }
  template <NamesColumn<kColumns>... Names>
  requires(sizeof...(Names) > 0) RowWriter& Absent(Names...) {
    (Next<Names>().AddAbsent(), ...);
    return *this;
  }
  template <NamesCell<kColumns, CellType::kInteger> Name>
  RowWriter& IntegerIf(Name name, bool is_known, std::int64_t value) {
    return is_known ? Integer(name, value) : Absent(name);
  }
  /// Absent if negative, which means unknown in the model.
  template <NamesCell<kColumns, CellType::kInteger> Name>
  RowWriter& Known(Name name, std::int64_t value) {
    return value < 0 ? Absent(name) : Integer(name, value);
  }
  template <NamesCell<kColumns, CellType::kReal> Name>
  RowWriter& KnownReal(Name name, double value) {
    return value < 0 ? Absent(name) : Real(name, value);
  }
  template <NamesCell<kColumns, CellType::kReal> Name>
  RowWriter& Flops(Name name, std::int64_t value) {
    return Real(name, static_cast<double>(value));
  }
  template <NamesCell<kColumns, CellType::kInteger> Name>
  RowWriter& Bool(Name name, bool value) {
    return Integer(name, value ? 1 : 0);
  }
  /// part / whole; absent if there is no whole.
  template <NamesCell<kColumns, CellType::kReal> Name>
  RowWriter& Share(Name name, double part, double whole) {
    return whole > 0 ? Real(name, part / whole) : Absent(name);
  }
  template <NamesCell<kColumns, CellType::kReal> Name>
  RowWriter& Share(Name name, std::int64_t part, std::int64_t whole) {
    return Share(name, static_cast<double>(part), static_cast<double>(whole));
  }

 private:
  template <class Name>
  Column& Next() {
    constexpr std::size_t kAt = PlaceOf(kColumns, Name::id());
    if (at_ != kAt) [[unlikely]]
      RefuseCell(table_, kColumns[kAt].id, kColumns[at_].id);
    at_ = kAt + 1 == kWidth ? 0 : kAt + 1;
    return *columns_[kAt];
  }

  Table& table_;
  std::array<Column*, kWidth> columns_;  // A copy, since table.columns() is slow.
  std::size_t at_ = 0;                   // The column of the next cell.
};

// Finds a column for reading, named like in RowWriter: `ColumnOf<columns::kKernels>(table,
// "time"_col)`. A name that the catalog's table does not have does not compile. If the table has
// the catalog's order, only this name is compared; a report of another version is searched by name.

/// nullptr if the table, written by another version, does not have the column.
template <const auto& kColumns, class AnyTable, NamesColumn<kColumns> Name>
auto ColumnOf(AnyTable& table, Name) -> decltype(table.Find(Name::id())) {
  constexpr std::size_t kAt = PlaceOf(kColumns, Name::id());
  auto& all = table.columns();
  if (kAt < all.size() && all[kAt].id() == Name::id()) return &all[kAt];
  return table.Find(Name::id());
}
/// Like the function above; also nullptr if the table is missing.
template <const auto& kColumns, NamesColumn<kColumns> Name>
const Column* ColumnOf(const Table* table, Name name) {
  return table == nullptr ? nullptr : ColumnOf<kColumns>(*table, name);
}

// Tables that are trees: the order of their rows, and the columns `node`, `parent` and `depth`.

inline constexpr std::uint32_t kNoNode = kNoIndex;

/// Returns the nodes in tree order: parents before children, siblings by number. O(n). REQUIRES: a
/// parent has a smaller number than its children, or is kNoNode.
///
///   parents   - 0 0 1 -        node 3 is a child of 1, which is a child of 0; 4 is a second root
///   order     0 1 3 2 4
std::vector<std::uint32_t> TreeOrder(const std::vector<std::uint32_t>& parents);

/// Writes the cells of columns::kTree, which are the first of such a row. Numbers of nodes start at
/// `first`: if a table has several trees, with one object each, their nodes are distinct.
class TreeCells {
 public:
  /// `parents` must outlive this. Nodes are renumbered in order of writing, from `first`.
  TreeCells(const std::vector<std::uint32_t>& parents, std::int64_t first)
      : parents_(parents), next_(first), numbers_(parents.size()), depths_(parents.size()) {}

  /// REQUIRES: nodes come in tree order.
  template <class Writer>
  void Append(std::uint32_t node, Writer& write) {
    const std::uint32_t above = parents_[node];
    const bool is_top = above == kNoNode;
    numbers_[node] = next_++;
    if (!is_top) depths_[node] = depths_[above] + 1;
    write.Integer("node"_col, numbers_[node])
        .IntegerIf("parent"_col, !is_top, is_top ? 0 : numbers_[above])
        .Integer("depth"_col, depths_[node]);
  }

 private:
  const std::vector<std::uint32_t>& parents_;
  std::int64_t next_;
  std::vector<std::int64_t> numbers_, depths_;
};

}  // namespace profgauge::analysis::catalog
