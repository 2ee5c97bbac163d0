#include "base/packed_integers.h"

#include <algorithm>
#include <utility>

namespace profgauge {

void PackedIntegers::Reserve(std::size_t count) {
  reserved_ = count;
  bytes_.reserve(BytesOf(count));
}

// Grows by doubling: with one number at a time, the vector's own growth would dominate.
void PackedIntegers::Grow() {
  constexpr std::size_t kFirstCapacity = 16;
  std::size_t count = std::max(2 * size_, kFirstCapacity);
  if (size_ < reserved_) count = std::min(count, reserved_);  // More would never be used.
  const std::size_t bytes = BytesOf(count);
  if (bytes <= bytes_.capacity()) return bytes_.resize(bytes);
  // std::vector would copy byte by byte, because it does not know its allocator.
  decltype(bytes_) larger(bytes);
  std::copy(bytes_.data(), bytes_.data() + bytes_.size(), larger.data());
  bytes_ = std::move(larger);
}

void PackedIntegers::Widen(std::int64_t value) {
  PackedIntegers wide;
  wide.width_ = width_;
  wide.most_ = most_;
  while (!wide.Fits(value)) {
    wide.width_ *= 2;
    wide.most_ = std::numeric_limits<std::int64_t>::max() >> (64 - 8 * wide.width_);
  }
  wide.Reserve(reserved_);
  wide.bytes_.resize(wide.BytesOf(size_));
  wide.size_ = size_;
  for (std::size_t at = 0; at < size_; ++at) wide.Store(at, (*this)[at]);
  *this = std::move(wide);
}

}  // namespace profgauge
