#include "readers/database/cells.h"

#include <array>
#include <bit>
#include <limits>

namespace profgauge::readers {
namespace {

// Converts a real to an integer the way SQLite's cast does.
std::int64_t Truncated(double real) {
  constexpr double kEnd = 9223372036854775808.0;
  if (real <= -kEnd) return std::numeric_limits<std::int64_t>::min();
  if (real >= kEnd) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(real);
}

}  // namespace

void Cells::Clear(std::size_t columns) {
  columns_ = columns;
  types_.clear();
  numbers_.clear();
  texts_.clear();
  bytes_.clear();
}

std::int64_t* Cells::AddNumbers(std::span<const std::uint8_t> types) {
  types_.insert(types_.end(), types.begin(), types.end());
  numbers_.resize(numbers_.size() + types.size());
  return numbers_.data() + numbers_.size() - types.size();
}

std::int64_t Cells::IntegerOf(std::size_t cell) const {
  if (types_[cell] == SQLITE_FLOAT) return Truncated(std::bit_cast<double>(numbers_[cell]));
  return texts_[static_cast<std::size_t>(numbers_[cell])].integer;
}

double Cells::Real(std::size_t row, std::size_t column) const {
  const std::size_t cell = row * columns_ + column;
  if (types_[cell] == SQLITE_INTEGER) return static_cast<double>(numbers_[cell]);
  if (types_[cell] == SQLITE_FLOAT) return std::bit_cast<double>(numbers_[cell]);
  return texts_[static_cast<std::size_t>(numbers_[cell])].real;
}

std::string_view Cells::Text(std::size_t row, std::size_t column) const {
  const std::size_t cell = row * columns_ + column;
  if (!IsText(row, column)) return {};
  const StoredText& stored = texts_[static_cast<std::size_t>(numbers_[cell])];
  return std::string_view(bytes_).substr(stored.begin, stored.size);
}

bool Cells::IsText(std::size_t row, std::size_t column) const {
  const std::uint8_t type = types_[row * columns_ + column];
  return type == SQLITE_TEXT || type == SQLITE_BLOB;
}

std::string Cells::NumberAsText(std::size_t row, std::size_t column) const {
  if (types_[row * columns_ + column] == SQLITE_INTEGER)
    return std::to_string(Integer(row, column));
  std::array<char, 64> text{};
  sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.15g", Real(row, column));
  return text.data();
}

}  // namespace profgauge::readers
