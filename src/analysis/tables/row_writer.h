// Fills a table row by row, cell after cell in the order of its columns: whoever writes rows has
// the catalogue's order before him, and no cell costs a look-up of its column's name.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"

namespace profgauge {

class RowWriter {
 public:
  /// REQUIRES: the table has all its columns, as many rows in each, and outlives this.
  explicit RowWriter(Table& table) : table_(table) {
    columns_.reserve(table.columns().size());
    for (Column& column : table.columns()) columns_.push_back(&column);
  }
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  /// REQUIRES: the last row is complete.
  ~RowWriter() {
    assert((at_ == 0 || at_ == columns_.size()) && "a row has too few or too many cells");
  }

  /// REQUIRES for each: the column's type fits; else it throws, since an order that is not the
  /// catalogue's is a mistake of ours.
  RowWriter& Integer(std::int64_t value) {
    Next(false).AddInteger(value);
    return *this;
  }
  RowWriter& Real(double value) {
    Next(false).AddReal(value);
    return *this;
  }
  RowWriter& Real(const std::optional<double>& value) { return value ? Real(*value) : Absent(); }
  RowWriter& Text(std::string_view value) {
    if (value.empty()) return Text(StringId{});
    return Text(table_.strings().Intern(value));
  }
  /// Of the table's strings; absent when invalid. An empty text that is interned is a text.
  RowWriter& Text(StringId value) {
    Next(true).AddText(value);
    return *this;
  }
  RowWriter& Absent() {
    Next().AddAbsent();
    return *this;
  }
  RowWriter& IntegerIf(bool is_known, std::int64_t value) {
    return is_known ? Integer(value) : Absent();
  }
  /// Absent when negative: what the model writes for "unknown".
  RowWriter& Known(std::int64_t value) { return value < 0 ? Absent() : Integer(value); }
  RowWriter& KnownReal(double value) { return value < 0 ? Absent() : Real(value); }
  RowWriter& Flops(std::int64_t value) { return Real(static_cast<double>(value)); }
  RowWriter& Bool(bool value) { return Integer(value ? 1 : 0); }
  /// part / whole, absent when there is no whole.
  RowWriter& Share(double part, double whole) { return whole > 0 ? Real(part / whole) : Absent(); }
  RowWriter& Share(std::int64_t part, std::int64_t whole) {
    return Share(static_cast<double>(part), static_cast<double>(whole));
  }

 private:
  Column& Next() {
    if (at_ == columns_.size()) at_ = 0;
    return *columns_[at_++];
  }
  // A column keeps texts as whole numbers and cannot tell the two apart; reals it can.
  Column& Next(bool is_text) {
    Column& column = Next();
    if ((column.unit() == Unit::kText) != is_text) [[unlikely]]
      Refuse(column);
    return column;
  }
  // Apart, so that the way of every cell stays short.
  [[noreturn, gnu::cold, gnu::noinline]] void Refuse(const Column& column) const {
    throw std::logic_error(table_.id() + "." + column.id() + ": a cell of another type");
  }

  Table& table_;
  std::vector<Column*> columns_;  // A table's own list of them is slow to walk for every cell.
  std::size_t at_ = 0;
};

}  // namespace profgauge
