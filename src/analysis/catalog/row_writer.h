// Fills a table row by row: each cell names its column, `row.Integer("kernels"_col, kernels)`.
// Names are constants of the compiler: one that the table does not have, or whose cells are of
// another type, does not compile, and no cell costs a look-up. Cells come in the order of the
// columns; one that is left out or comes too early is refused when the row is written.
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

/// A literal as a value of the compiler, so that it can be an argument of a template.
template <std::size_t kSize>
struct ColumnName {
  // Not explicit: a literal becomes a name.
  consteval ColumnName(const char (&text)[kSize]) { std::copy_n(text, kSize, chars); }
  constexpr std::string_view view() const { return {chars, kSize - 1}; }
  char chars[kSize] = {};
};

/// The name of a column as an argument whose type is the name: `"kernels"_col`.
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

/// The position of a column; the number of columns if no column has that name.
constexpr std::size_t PlaceOf(std::span<const ColumnSpec> columns, std::string_view id) {
  std::size_t place = 0;
  while (place < columns.size() && columns[place].id != id) ++place;
  return place;
}
/// Whether the table has the column and its cells are of this type. A constant expression, so that
/// a wrong name does not compile.
constexpr bool HasCell(std::span<const ColumnSpec> columns, std::string_view id, CellType type) {
  const std::size_t place = PlaceOf(columns, id);
  return place < columns.size() && CellTypeOf(columns[place].unit) == type;
}

/// Names a column of the table.
template <class Name, const auto& kColumns>
concept NamesColumn = (PlaceOf(kColumns, Name::id()) < std::size(kColumns));
/// Names a column of the table whose cells are of that type.
template <class Name, const auto& kColumns, CellType kType>
concept NamesCell = HasCell(kColumns, Name::id(), kType);

/// Throws where the table's columns are not these: whoever adds a table names its columns too.
void RequireColumns(const Table& table, std::span<const ColumnSpec> columns);
/// Throws: the cell of column `given` was written where that of `expected` comes.
[[noreturn, gnu::cold]] void RefuseCell(const Table& table, std::string_view given,
                                        std::string_view expected);

/// For the table whose columns the catalog takes from `kColumns`. Writes one cell after the other;
/// the last cell of a row completes it. A cell of the wrong column throws: a row would otherwise be
/// shifted without any sign.
///
///   RowWriter<columns::kRegions> write(out.AddTable("regions"));
///   write.Integer("rank"_col, 0).Text("from"_col, "start")…      in the order of kRegions
template <const auto& kColumns>
class RowWriter {
  static constexpr std::size_t kWidth = std::size(kColumns);

 public:
  /// REQUIRES: the table has these columns, as many rows in each, and outlives this.
  explicit RowWriter(Table& table) : table_(table) {
    RequireColumns(table, kColumns);
    for (std::size_t i = 0; i < kWidth; ++i) columns_[i] = &table.columns()[i];
  }
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  /// REQUIRES: the last row is complete, unless memory ran out in it.
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
  /// In the table's strings; absent when invalid. An empty text that is interned is a text.
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
  /// Absent when negative: the model's value for "unknown".
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
  /// part / whole, absent when there is no whole.
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
  std::array<Column*, kWidth> columns_;  // A table's own list of them is slow to walk.
  std::size_t at_ = 0;                   // Whose cell comes next.
};

// A column for reading, named as RowWriter names it: `ColumnOf<columns::kKernels>(table,
// "time"_col)`. A name that the catalog's table does not have does not compile. If the table has
// the catalog's order, only this name is compared; reports of other versions are searched by name.

/// nullptr where the table, of another version of this program, has no column.
template <const auto& kColumns, class AnyTable, NamesColumn<kColumns> Name>
auto ColumnOf(AnyTable& table, Name) -> decltype(table.Find(Name::id())) {
  constexpr std::size_t kAt = PlaceOf(kColumns, Name::id());
  auto& all = table.columns();
  if (kAt < all.size() && all[kAt].id() == Name::id()) return &all[kAt];
  return table.Find(Name::id());
}
/// The same of a table that may be missing.
template <const auto& kColumns, NamesColumn<kColumns> Name>
const Column* ColumnOf(const Table* table, Name name) {
  return table == nullptr ? nullptr : ColumnOf<kColumns>(*table, name);
}

// Tables that are trees: the order of their rows, and their columns `node`, `parent` and `depth`.

inline constexpr std::uint32_t kNoNode = kNoIndex;

/// Nodes in the order of the tree: each before its children, siblings as they are numbered.
/// REQUIRES: a parent's number is below its children's, or kNoNode. O(n).
///
///   parents   - 0 0 1 -        node 3 is in 1, which is in 0; 4 is a second top
///   order     0 1 3 2 4
std::vector<std::uint32_t> TreeOrder(const std::vector<std::uint32_t>& parents);

/// Writes the cells of columns::kTree, with which such a row begins. Numbers go on from `first`, so
/// that several trees of one table, an object each, have distinct nodes.
class TreeCells {
 public:
  /// `parents` must outlive this. Nodes are numbered anew as they are written, from `first`.
  TreeCells(const std::vector<std::uint32_t>& parents, std::int64_t first)
      : parents_(parents), next_(first), numbers_(parents.size()), depths_(parents.size()) {}

  /// REQUIRES: nodes come in the order of the tree.
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
