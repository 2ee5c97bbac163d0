// Numbers of as many bytes as they need, seven bits each, the lowest first.
#pragma once

#include <cstdint>
#include <string_view>

namespace profgauge::readers::parquet {

/// Takes one off the front; false at the end, and where it has more than 64 bits.
inline bool TakeVarint(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= (byte & std::uint64_t{0x7F}) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// The same of a number with a sign, which is its lowest bit.
inline bool TakeZigZag(std::string_view& bytes, std::uint64_t& number) {
  if (!TakeVarint(bytes, number)) return false;
  number = number >> 1 ^ (~(number & 1) + 1);
  return true;
}

}  // namespace profgauge::readers::parquet
