// Fills a table row by row, cell after cell in the order of its columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/table.h"

namespace profgauge {

class RowWriter {
 public:
  explicit RowWriter(Table& table) : table_(table), at_(table.columns().begin()) {}

  /// REQUIRES for each: the column's type fits.
  RowWriter& Integer(std::int64_t value) {
    Next().AddInteger(value);
    return *this;
  }
  RowWriter& Real(double value) {
    Next().AddReal(value);
    return *this;
  }
  RowWriter& Text(std::string_view value) {
    if (value.empty()) return Absent();
    Next().AddText(table_.strings().Intern(value));
    return *this;
  }
  RowWriter& Absent() {
    Next().AddAbsent();
    return *this;
  }
  /// Absent when negative: what the model writes for "unknown".
  RowWriter& Known(std::int64_t value) { return value < 0 ? Absent() : Integer(value); }
  RowWriter& KnownReal(double value) { return value < 0 ? Absent() : Real(value); }
  RowWriter& Flops(std::int64_t value) { return Real(static_cast<double>(value)); }
  RowWriter& Bool(bool value) { return Integer(value ? 1 : 0); }
  /// part / whole, absent when there is no whole.
  RowWriter& Share(double part, double whole) { return whole > 0 ? Real(part / whole) : Absent(); }

 private:
  Column& Next() {
    if (at_ == table_.columns().end()) at_ = table_.columns().begin();
    return *at_++;
  }

  Table& table_;
  std::deque<Column>::iterator at_;
};

}  // namespace profgauge
