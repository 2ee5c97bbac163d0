#include "readers/text/wire.h"

#include <bit>

namespace profgauge::readers {
namespace {

constexpr std::uint64_t kMaxField = (std::uint64_t{1} << 29) - 1;

}  // namespace

bool WireReader::TakeVarint(std::uint64_t& value) {
  // Most are small numbers, and tags of fields below 16.
  if (!rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80) {
    value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return true;
  }
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

bool WireReader::TakeBytes(std::uint64_t count) {
  if (count > rest_.size()) return false;
  bytes_ = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(static_cast<std::size_t>(count));
  return true;
}

bool WireReader::Next() {
  if (!ok_ || rest_.empty()) return false;
  std::uint64_t tag = 0;
  if (!TakeVarint(tag) || tag >> 3 == 0 || tag >> 3 > kMaxField) return Stop();
  field_ = static_cast<std::uint32_t>(tag >> 3);
  type_ = static_cast<std::uint32_t>(tag & 7);
  bytes_ = {};
  number_ = 0;
  switch (type_) {
    case kVarint:
      return TakeVarint(number_) || Stop();
    case kFixed64:
      return TakeBytes(8) || Stop();
    case kFixed32:
      return TakeBytes(4) || Stop();
    case kBytes: {
      std::uint64_t length = 0;
      return (TakeVarint(length) && TakeBytes(length)) || Stop();
    }
    default:  // Groups are from before proto3.
      return Stop();
  }
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
