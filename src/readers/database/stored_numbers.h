// Numbers of SQLite's file format (sqlite.org/fileformat2.html), and how its files have numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge::readers {

namespace sqlite_format {
inline constexpr std::size_t kFileHead = 100;  ///< Bytes of a file before its first page's own.
/// Bytes of the heads of b-tree pages.
inline constexpr std::size_t kLeafHead = 8, kInnerHead = 12;
inline constexpr std::size_t kLeastUsable = 480;  ///< Bytes of a page: less is damaged.
inline constexpr std::size_t kNotOfRow = 35;  ///< A row that leaves fewer goes on on other pages.
inline constexpr std::size_t kLongestNumber = 9;
enum PageKind : char { kInnerPage = 5, kLeafPage = 13 };
enum SerialType : std::uint64_t { kNull = 0, kReal = 7, kOne = 9, kFirstText = 12 };
}  // namespace sqlite_format

/// REQUIRES: at most eight bytes.
inline std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

/// Bytes of a page by a file's head of kFileHead bytes; 0 where it is damaged.
inline std::uint64_t PageSize(std::string_view head) {
  std::uint64_t size = BigEndian(head.substr(16, 2));
  if (size == 1) size = 65536;
  return std::has_single_bit(size) ? size : 0;
}

/// Takes a number of one to nine bytes off the front; false at the end, and where it begins with a
/// byte of no bits: of those that are longer than they need to be SQLite does not read all alike.
inline bool TakeNumber(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  if (bytes.starts_with('\x80')) return false;
  for (std::size_t i = 0; i < std::min(bytes.size(), sqlite_format::kLongestNumber); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool is_last = i + 1 == sqlite_format::kLongestNumber;
    number = is_last ? number << 8 | byte : number << 7 | (byte & 0x7fU);
    if (!is_last && byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return true;
  }
  return false;
}

}  // namespace profgauge::readers
