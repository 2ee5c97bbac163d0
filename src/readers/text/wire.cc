#include "readers/text/wire.h"

#include <bit>

namespace profgauge::readers {

bool WireReader::TakeLongVarint(std::uint64_t& value) {
  value = 0;
  std::size_t at = 0;
  bool is_whole = false;
  for (unsigned shift = 0; shift < 64 && at < rest_.size() && !is_whole; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_[at++]);
    // The tenth byte has room for one bit.
    if (shift == 63 && byte > 1) break;
    value |= std::uint64_t{byte & 0x7FU} << shift;
    is_whole = byte < 0x80;
  }
  rest_.remove_prefix(at);
  return is_whole;
}

std::uint64_t WireReader::Fixed64() const {
  if (type_ != kFixed64) return 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    bits |= std::uint64_t{static_cast<unsigned char>(bytes_[i])} << (8 * i);
  }
  return bits;
}

double WireReader::Double() const { return std::bit_cast<double>(Fixed64()); }

}  // namespace profgauge::readers
