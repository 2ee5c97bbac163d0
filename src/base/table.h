// Tables: named columns of equal length. Analysis passes rows to rules, reports and exports only in
// this form.
//
// A cell can be absent (unknown); a whole column can be absent with a reason ("kineto traces
// without record_shapes have no shapes"). Columns are stored by type and packed, so that ten
// million rows stay cheap: 1 to 8 bytes per integer or text, 8 bytes per real.
#pragma once

#include <algorithm>
#include <boost/iterator/indirect_iterator.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/packed_integers.h"
#include "base/string_pool.h"
#include "base/units.h"
#include "base/value.h"

namespace profgauge {

/// Describes a column, independent of a profile. Columns: analysis/catalog/*_columns.h.
struct ColumnSpec {
  std::string_view id;     ///< "device_self": stable, lower case.
  std::string_view title;  ///< "Device self time".
  Unit unit = Unit::kText;
  std::string_view doc;  ///< One sentence: definition, and its source if it is not ours.
  /// The metric whose uncertainty the cells share, e.g. `gpu.idle.mean` for a device's idle time.
  /// Empty for columns that are always certain.
  std::string_view as_sure_as = {};
};

/// How cells of a unit are stored: integers (count, time, bytes, bool), reals, or texts.
enum class CellType : std::uint8_t { kInteger, kReal, kText };
constexpr CellType CellTypeOf(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return CellType::kText;
    case Unit::kBool:
    case Unit::kCount:
    case Unit::kTime:
    case Unit::kBytes:
      return CellType::kInteger;
    default:
      return CellType::kReal;
  }
}

/// One column. Cells are appended; the unit determines the type. A column does not know the number
/// of rows of its table: the caller adds one cell per row to each column. Text cells are ids of the
/// table's pool.
class Column {
 public:
  static constexpr std::int64_t kAbsentInteger = PackedIntegers::kAbsent;

  explicit Column(const ColumnSpec& spec);

  const std::string& id() const { return id_; }
  const std::string& title() const { return title_; }
  void Retitle(std::string title) { title_ = std::move(title); }
  Unit unit() const { return unit_; }
  CellType type() const { return CellTypeOf(unit_); }

  /// Why every cell is absent in this profile; empty if the column has data.
  const std::string& absent_because() const { return absent_because_; }
  void MarkAbsent(std::string reason) { absent_because_ = std::move(reason); }

  void Reserve(std::size_t rows);
  std::size_t size() const;

  /// REQUIRES for each: the column's type() matches.
  void AddInteger(std::int64_t value) { integers().Append(value); }
  void AddReal(double value) { reals().push_back(value); }
  void AddText(StringId id) { integers().Append(Packed(id)); }
  void AddAbsent();

  /// REQUIRES for each: the column's type() matches, row < size().
  std::int64_t IntegerAt(std::size_t row) const { return integers()[row]; }
  double RealAt(std::size_t row) const { return reals()[row]; }
  StringId TextAt(std::size_t row) const {
    const std::int64_t cell = integers()[row];
    return cell == kAbsentInteger ? StringId{} : StringId{static_cast<std::uint32_t>(cell)};
  }
  void SetInteger(std::size_t row, std::int64_t value) { integers().Set(row, value); }
  void SetText(std::size_t row, StringId id) { integers().Set(row, Packed(id)); }

  /// True if the cell is absent: kAbsentInteger, NaN, or an invalid StringId.
  bool IsAbsentAt(std::size_t row) const;

 private:
  static std::int64_t Packed(StringId id) { return id.valid() ? id.value : kAbsentInteger; }
  PackedIntegers& integers() { return std::get<0>(cells_); }
  const PackedIntegers& integers() const { return std::get<0>(cells_); }
  std::vector<double>& reals() { return std::get<1>(cells_); }
  const std::vector<double>& reals() const { return std::get<1>(cells_); }

  std::string id_;
  std::string title_;
  Unit unit_;
  std::string absent_because_;
  std::variant<PackedIntegers, std::vector<double>> cells_;  // Texts are stored as their ids.
};

/// Columns in order, each at a fixed address. Moving the list never fails; moving a std::deque may,
/// because the standard library's allocates.
class ColumnList {
 public:
  using Columns = std::vector<std::unique_ptr<Column>>;
  using iterator = boost::indirect_iterator<Columns::iterator>;
  using const_iterator = boost::indirect_iterator<Columns::const_iterator, const Column>;

  ColumnList() = default;
  ColumnList(ColumnList&&) noexcept = default;
  ColumnList& operator=(ColumnList&&) noexcept = default;
  ColumnList(const ColumnList& other);
  ColumnList& operator=(const ColumnList& other);

  Column& Add(const ColumnSpec& spec);
  std::size_t size() const { return columns_.size(); }
  bool empty() const { return columns_.empty(); }
  Column& operator[](std::size_t at) { return *columns_[at]; }
  const Column& operator[](std::size_t at) const { return *columns_[at]; }
  Column& front() { return *columns_.front(); }
  const Column& front() const { return *columns_.front(); }
  iterator begin() { return iterator(columns_.begin()); }
  iterator end() { return iterator(columns_.end()); }
  const_iterator begin() const { return const_iterator(columns_.begin()); }
  const_iterator end() const { return const_iterator(columns_.end()); }

 private:
  Columns columns_;
};

/// A table. Text cells are ids into `strings`, which may be shared between tables.
class Table {
 public:
  Table(std::string_view id, std::string_view row_name, std::string_view title,
        std::shared_ptr<StringPool> strings);
  const std::string& id() const { return id_; }              ///< "kernels_by_op"
  const std::string& row_name() const { return row_name_; }  ///< "kernel": its name in rules.
  const std::string& title() const { return title_; }
  void Retitle(std::string title) { title_ = std::move(title); }
  StringPool& strings() { return *strings_; }
  const StringPool& strings() const { return *strings_; }

  /// The reference stays valid: columns never move.
  Column& AddColumn(const ColumnSpec& spec);
  ColumnList& columns() { return columns_; }
  const ColumnList& columns() const { return columns_; }
  /// nullptr if there is no such column.
  const Column* Find(std::string_view column_id) const;
  Column* Find(std::string_view column_id);

  /// Length of the first column; all columns must have it (checked by CheckShape).
  std::size_t rows() const { return columns_.empty() ? 0 : columns_.front().size(); }
  /// Rows of the run; more than rows() if the table has only the first or largest of them.
  std::size_t all_rows() const { return std::max(all_rows_, rows()); }
  void SetAllRows(std::size_t rows) { all_rows_ = rows; }
  /// For tests. O(columns).
  bool CheckShape() const;

  /// Returns the cell as a Value; absent if the cell or the column is absent. Copies texts, so
  /// loops over many rows use TextAt() and IntegerAt() of the column.
  Value At(std::size_t row, const Column& column) const;
  Value At(std::size_t row, std::string_view column_id) const;

 private:
  std::string id_;
  std::string row_name_;
  std::string title_;
  std::shared_ptr<StringPool> strings_;
  ColumnList columns_;
  std::size_t all_rows_ = 0;
};

}  // namespace profgauge
