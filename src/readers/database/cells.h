// Rows of a table, kept as SQLite stores them (or would store them, for Parquet).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"

namespace profgauge::readers {

/// Rows of equally many cells. Numbers and texts are converted into each other by SQLite's rules.
/// All cells are in two arrays, row after row; all texts are in one string:
///
///   types    INTEGER  TEXT  NULL | INTEGER ...
///   numbers  42       0     0    | 43            text: its index in texts_
///
/// After Clear(), Add() allocates no memory until there are more rows than before.
class Cells {
 public:
  /// Removes all rows; new rows have this many cells.
  void Clear(std::size_t columns);
  /// Adds the current row of a statement, the row of a row function, or a row of these cells.
  template <class Row>
  void Add(const Row& row);
  /// Adds a row of integers and nulls, according to `types`; returns where to store the numbers.
  std::int64_t* AddNumbers(std::span<const std::uint8_t> types);

  std::size_t rows() const { return columns_ == 0 ? 0 : types_.size() / columns_; }
  bool IsSet(std::size_t row, std::size_t column) const {
    return types_[row * columns_ + column] != SQLITE_NULL;
  }
  /// REQUIRES: IsSet(), as Real().
  std::int64_t Integer(std::size_t row, std::size_t column) const {
    const std::size_t cell = row * columns_ + column;
    return types_[cell] == SQLITE_INTEGER ? numbers_[cell] : IntegerOf(cell);
  }
  double Real(std::size_t row, std::size_t column) const;
  bool IsText(std::size_t row, std::size_t column) const;  ///< True for texts and bytes.
  /// Empty for a number. Valid until the next Clear() or Add().
  std::string_view Text(std::size_t row, std::size_t column) const;
  /// The cell's number as text, as SQLite prints it. REQUIRES: IsSet(), not IsText().
  std::string NumberAsText(std::size_t row, std::size_t column) const;

 private:
  struct StoredText {
    std::int64_t integer = 0;  ///< As SQLite converts it.
    double real = 0;
    std::size_t begin = 0, size = 0;  ///< In bytes_.
  };
  std::int64_t IntegerOf(std::size_t cell) const;

  std::size_t columns_ = 0;
  std::vector<std::uint8_t> types_;
  std::vector<std::int64_t> numbers_;  ///< Or a real's bits, or the index in texts_.
  std::vector<StoredText> texts_;
  std::string bytes_;
};

template <class Row>
void Cells::Add(const Row& row) {
  const std::size_t first = types_.size();
  types_.resize(first + columns_);
  numbers_.resize(first + columns_);
  std::uint8_t* types = types_.data() + first;
  std::int64_t* numbers = numbers_.data() + first;
  for (int column = 0; column < static_cast<int>(columns_); ++column) {
    const int type = row.Type(column);
    std::int64_t number = 0;
    if (type == SQLITE_INTEGER) {
      number = row.Integer(column);
    } else if (type == SQLITE_FLOAT) {
      number = std::bit_cast<std::int64_t>(row.Real(column));
    } else if (type != SQLITE_NULL) {
      number = static_cast<std::int64_t>(texts_.size());
      StoredText& stored = texts_.emplace_back();
      stored.integer = row.Integer(column);
      stored.real = row.Real(column);
      const std::string_view text = row.Text(column);
      stored.begin = bytes_.size();
      stored.size = text.size();
      bytes_ += text;
    }
    *types++ = static_cast<std::uint8_t>(type);
    *numbers++ = number;
  }
}

}  // namespace profgauge::readers
