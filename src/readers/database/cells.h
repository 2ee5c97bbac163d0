// Rows of an SQLite table, kept as they were stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"

namespace profgauge::readers {

/// Rows of equally many cells. Numbers and texts turn into each other as SQLite has it.
class Cells {
 public:
  /// Forgets all rows, for rows of so many cells.
  void Clear(std::size_t columns);
  /// Adds the row that a statement is at, or that a row function got.
  template <class Row>
  void Add(const Row& row);
  /// Adds a row of whole numbers and of nothing, as `types` has it; returns where they go.
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
  bool IsText(std::size_t row, std::size_t column) const;  ///< Or bytes.
  /// Empty of a number. Valid until the next Clear() or Add().
  std::string_view Text(std::size_t row, std::size_t column) const;
  /// A number in SQLite's words. REQUIRES: IsSet(), not IsText().
  std::string NumberAsText(std::size_t row, std::size_t column) const;

 private:
  struct StoredText {
    std::int64_t integer = 0;  ///< What SQLite makes of it.
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

}  // namespace profgauge::readers
