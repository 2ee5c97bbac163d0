// A column that is empty in most profiles: as long as no row has a value, it takes no memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/permute.h"

namespace profgauge {

/// `kNone` represents no value.
template <class T, T kNone = T{}>
class OptionalColumn {
 public:
  OptionalColumn() = default;
  explicit OptionalColumn(std::size_t rows) : size_(rows) {}

  std::size_t size() const { return size_; }
  /// Constant, so that no one assigns to it in vain.
  const T operator[](std::size_t row) const { return values_.empty() ? kNone : values_[row]; }
  /// One per row, or none at all.
  std::span<const T> values() const { return values_; }
  /// Takes all values away; the rows stay.
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
