#include "readers/text/wire.h"

#include <bit>

#include "base/varint.h"

namespace profgauge::readers {

bool WireReader::TakeLongVarint(std::uint64_t& value) {
  return profgauge::TakeVarint(rest_, value);
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
