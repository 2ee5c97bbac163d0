#include "readers/database/row_layout.h"

#include <sqlite3.h>

#include <bit>
#include <cstring>
#include <iterator>
#include <limits>

#include "readers/database/stored_numbers.h"

namespace profgauge::readers {
namespace {

/// Bytes of a value in a row, by the type in the row's header; nothing of those that are reserved.
std::optional<std::uint64_t> SizeOf(std::uint64_t type) {
  constexpr std::uint64_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  if (type < std::size(kSizes)) return kSizes[type];
  return type < sqlite_format::kFirstText ? std::nullopt
                                          : std::optional((type - sqlite_format::kFirstText) / 2);
}

}  // namespace

bool RowLayout::Set(std::string_view header,
                    const std::vector<std::optional<std::size_t>>& columns) {
  header_.clear();  // Nothing is known until all is.
  if (!SetStored(header)) return false;
  types_.clear();
  numbers_.clear();
  for (const auto& column : columns) {
    Number number;
    // A row may be older than its last columns: those have values that the schema says.
    if (column && *column >= stored_.size()) return false;
    const Stored stored = column ? stored_[*column] : Stored{};
    if (stored.type == sqlite_format::kReal || stored.type > sqlite_format::kOne) return false;
    number.end = static_cast<std::uint32_t>(stored.end);
    number.bytes = static_cast<std::uint8_t>(*SizeOf(stored.type));
    number.constant = stored.type == sqlite_format::kOne ? 1 : 0;
    numbers_.push_back(number);
    types_.push_back(stored.type == sqlite_format::kNull ? SQLITE_NULL : SQLITE_INTEGER);
  }
  header_ = header;
  return true;
}

bool RowLayout::SetStored(std::string_view header) {
  stored_.clear();
  body_size_ = 0;
  std::uint64_t type = 0;
  TakeNumber(header, type);  // Its own size.
  while (!header.empty()) {
    if (!TakeNumber(header, type)) return false;
    const auto size = SizeOf(type);
    if (!size || *size > std::numeric_limits<std::uint16_t>::max()) return false;
    body_size_ += *size;
    stored_.push_back({type, body_size_});
  }
  return true;
}

void RowLayout::Read(const char* body, std::int64_t* numbers) const {
  for (const Number& number : numbers_) {
    if (number.bytes == 0) {
      *numbers++ = number.constant;
      continue;
    }
    // Eight bytes that end with the number; the bytes before it are shifted out: before the body
    // are the page's head, pointers, the cell's two numbers and the row's header: 13 bytes or more.
    std::uint64_t bits = 0;
    std::memcpy(&bits, body + number.end - sizeof bits, sizeof bits);
    if constexpr (std::endian::native == std::endian::little) bits = __builtin_bswap64(bits);
    const unsigned others = 64 - 8U * number.bytes;
    *numbers++ = static_cast<std::int64_t>(bits << others) >> others;
  }
}

}  // namespace profgauge::readers
