// A column that is empty in most profiles: it takes no memory until a row has a value.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/permute.h"

namespace profgauge {

/// `kNone` means that a row has no value.
template <class T, T kNone = T{}>
class OptionalColumn {
 public:
  OptionalColumn() = default;
  explicit OptionalColumn(std::size_t rows) : size_(rows) {}

  std::size_t size() const { return size_; }
  /// A constant, so that an assignment to it does not compile.
  const T operator[](std::size_t row) const { return values_.empty() ? kNone : values_[row]; }
  /// One value per row, or no value if no row has one.
  std::span<const T> values() const { return values_; }
  /// Removes all values; the number of rows stays.
  void Reset() { values_ = {}; }

  /// The first value makes the whole column. REQUIRES: row < size().
  void Set(std::size_t row, T value) {
    if (values_.empty() && value == kNone) return;
    values_.resize(size_, kNone);
    values_[row] = value;
  }
  /// Appends `field` of each row.
  template <class Row>
  void Append(std::span<const Row> rows, T Row::*field) {
    std::size_t next = size_;
    size_ += rows.size();
    if (!values_.empty()) values_.resize(size_, kNone);
    for (const Row& row : rows) Set(next++, row.*field);
  }
  /// Row i gets the value of row rows[i].
  void Keep(const Permutation& rows) {
    size_ = rows.size();
    if (!values_.empty()) Permute(rows, values_);
  }

 private:
  std::size_t size_ = 0;
  std::vector<T> values_;
};

template <class T, T kNone>
void Permute(const Permutation& rows, OptionalColumn<T, kNone>& column) {
  if (!rows.empty()) column.Keep(rows);
}

}  // namespace profgauge
