// Varints: numbers with seven bits per byte, the lowest first, as in Protocol Buffers, Parquet,
// Thrift and summaries.
//
//   96 01      0x16 | 1 << 7 = 150        a byte from 80 on means that another follows
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge {

/// The longest varint of a 64-bit number.
inline constexpr std::size_t kLongestVarint = 10;

/// Removes a varint from the front. If `bytes` end inside it, or it has more than 64 bits
/// (damaged), returns false; the examined bytes are removed even then.
inline bool TakeVarint(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;  // The tenth byte has only one bit.
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// Like TakeVarint(), for a signed number whose lowest bit is the sign ("zigzag"): 0 -1 1 -2 are 0
/// 1 2 3. `number` has the bits of the signed number.
inline bool TakeZigZag(std::string_view& bytes, std::uint64_t& number) {
  if (!TakeVarint(bytes, number)) return false;
  number = number >> 1 ^ (~(number & 1) + 1);
  return true;
}

}  // namespace profgauge
