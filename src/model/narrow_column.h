// A column of numbers or ids that takes as few bytes per row as its values need. A profile has
// millions of kernels, but few names, streams and shapes, and few kernels last seconds.
#pragma once

#include <boost/iterator/iterator_facade.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

#include "base/packed_integers.h"
#include "model/permute.h"

namespace profgauge {

/// Reads like a std::vector<T>, but returns values, not references; Set() changes a value. `T` is
/// an integer or an id. Starts of events are a std::vector in model/tables.h: they are large and
/// all different, so a narrow column would save nothing.
template <class T>
class NarrowColumn {
 public:
  class const_iterator
      : public boost::iterator_facade<const_iterator, const T, std::random_access_iterator_tag, T> {
   public:
    const_iterator() = default;

   private:
    friend class NarrowColumn;
    friend class boost::iterator_core_access;
    const_iterator(const NarrowColumn* column, std::size_t row) : column_(column), row_(row) {}
    T dereference() const { return (*column_)[row_]; }
    bool equal(const const_iterator& other) const { return row_ == other.row_; }
    void increment() { ++row_; }
    void decrement() { --row_; }
    void advance(std::ptrdiff_t rows) { row_ += static_cast<std::size_t>(rows); }
    std::ptrdiff_t distance_to(const const_iterator& other) const {
      return static_cast<std::ptrdiff_t>(other.row_) - static_cast<std::ptrdiff_t>(row_);
    }

    const NarrowColumn* column_ = nullptr;
    std::size_t row_ = 0;
  };
  using value_type = T;
  using iterator = const_iterator;

  NarrowColumn() = default;
  NarrowColumn(std::initializer_list<T> values) {
    for (const T value : values) push_back(value);
  }

  std::size_t size() const { return cells_.size(); }
  bool empty() const { return size() == 0; }
  // A constant, so that an assignment to it does not compile.
  [[gnu::always_inline]] const T operator[](std::size_t row) const { return Cell(cells_[row]); }
  const T front() const { return (*this)[0]; }
  const T back() const { return (*this)[size() - 1]; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

  void reserve(std::size_t rows) { cells_.Reserve(rows); }
  void push_back(T value) { cells_.Append(Number(value)); }
  void Set(std::size_t row, T value) { cells_.Set(row, Number(value)); }
  /// Appends `field` of each row.
  template <class Row>
  void Append(std::span<const Row> rows, T Row::*field) {
    for (const Row& row : rows) push_back(row.*field);
  }
  /// Replaces the rows: row i gets the value of row rows[i]. `rows` may be shorter than the column,
  /// which then shrinks. REQUIRES: not empty (empty means unchanged; Permute() handles that).
  void Keep(const Permutation& rows) {
    PackedIntegers kept;
    kept.Reserve(rows.size());
    for (const std::uint32_t row : rows) kept.Append(cells_[row]);
    cells_ = std::move(kept);
  }

 private:
  static std::int64_t Number(T value) {
    if constexpr (std::integral<T>) {
      return value;
    } else {
      return value.valid() ? std::int64_t{value.value} : PackedIntegers::kAbsent;
    }
  }
  [[gnu::always_inline]] static T Cell(std::int64_t number) {
    if constexpr (std::integral<T>) {
      return static_cast<T>(number);
    } else {
      return number == PackedIntegers::kAbsent ? T{} : T{static_cast<std::uint32_t>(number)};
    }
  }

  PackedIntegers cells_;
};

template <class T>
void Permute(const Permutation& rows, NarrowColumn<T>& column) {
  if (!rows.empty()) column.Keep(rows);
}

}  // namespace profgauge
