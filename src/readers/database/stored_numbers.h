// Numbers as SQLite's files have them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge::readers {

inline std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

/// Bytes of a page by a file's head of 100 bytes; 0 where it is damaged.
inline std::uint64_t PageSize(std::string_view head) {
  std::uint64_t size = BigEndian(head.substr(16, 2));
  if (size == 1) size = 65536;
  return std::has_single_bit(size) ? size : 0;
}

/// Takes a number of one to nine bytes off the front; false at the end, and where it begins with a
/// byte of no bits: of those that are longer than they need to be SQLite does not read all alike.
inline bool TakeNumber(std::string_view& bytes, std::uint64_t& number) {
  constexpr std::size_t kLongest = 9;
  number = 0;
  if (bytes.starts_with('\x80')) return false;
  for (std::size_t i = 0; i < std::min(bytes.size(), kLongest); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool is_last = i + 1 == kLongest;
    number = is_last ? number << 8 | byte : number << 7 | (byte & 0x7fU);
    if (!is_last && byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return true;
  }
  return false;
}

}  // namespace profgauge::readers
