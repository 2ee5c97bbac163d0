// Numbers of as many bytes as they need, seven bits each, the lowest first: those of Protocol
// Buffers, Parquet, Thrift and summaries.
//
//   96 01      0x16 | 1 << 7 = 150        a byte from 80 on says that another follows
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge {

/// No number of 64 bits takes more.
inline constexpr std::size_t kLongestVarint = 10;

/// Takes one off the front. False, with the bytes looked at taken off, where they end inside of it
/// and where it has more than 64 bits: it is damaged then, and its lower bits are another number.
inline bool TakeVarint(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;  // The tenth byte has room for one bit.
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// The same of a number with a sign, which is its lowest bit ("zigzag"): 0 -1 1 -2 as 0 1 2 3. The
/// bits of the signed number are in `number`.
inline bool TakeZigZag(std::string_view& bytes, std::uint64_t& number) {
  if (!TakeVarint(bytes, number)) return false;
  number = number >> 1 ^ (~(number & 1) + 1);
  return true;
}

}  // namespace profgauge
