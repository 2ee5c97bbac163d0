// A column of numbers or ids that takes as few bytes a row as its values need: a recording has
// millions of kernels, but few names, streams and shapes, and hardly one that lasts seconds.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>

#include "base/packed_integers.h"
#include "model/permute.h"

namespace profgauge {

/// `T` is a whole number or an id. Cells come by value: Set() changes one.
template <class T>
class NarrowColumn {
 public:
  std::size_t size() const { return cells_.size(); }
  bool empty() const { return size() == 0; }
  // Constant, so that nobody assigns to it in vain.
  const T operator[](std::size_t row) const { return Cell(cells_[row]); }
  const T front() const { return (*this)[0]; }
  /// All in order.
  auto values() const& {
    return std::views::iota(std::size_t{0}, size()) |
           std::views::transform([this](std::size_t row) { return (*this)[row]; });
  }
  auto values() const&& = delete;  ///< They would be gone.

  void reserve(std::size_t rows) { cells_.Reserve(rows); }
  void push_back(T value) { cells_.Append(Number(value)); }
  void Set(std::size_t row, T value) { cells_.Set(row, Number(value)); }
  /// Appends `field` of each row.
  template <class Row>
  void Append(std::span<const Row> rows, T Row::*field) {
    for (const Row& row : rows) push_back(row.*field);
  }
  /// Row i becomes what row rows[i] is.
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
  static T Cell(std::int64_t number) {
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
