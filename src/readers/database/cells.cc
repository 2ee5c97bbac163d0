#include "readers/database/cells.h"

#include <array>
#include <bit>
#include <limits>

namespace profgauge::readers {
namespace {

// As SQLite casts a real to an integer.
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

template void Cells::Add(const sqlite::Statement&);
template void Cells::Add(const sqlite::RowValues&);

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
