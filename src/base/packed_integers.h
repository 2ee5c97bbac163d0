// Integers in as few bytes each as the widest of them needs: 1, 2, 4 or 8. Columns of tables have
// millions of rows and mostly small numbers: ranks, streams, ids of texts, short times.
#pragma once

#include <bit>
#include <boost/core/noinit_adaptor.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace profgauge {

class PackedIntegers {
 public:
  /// Means "no number"; it fits in any width.
  static constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

  std::size_t size() const { return size_; }
  /// Reserves memory for this many numbers, at the current width and any later one.
  void Reserve(std::size_t count);
  void Append(std::int64_t value) {
    if (!Fits(value)) Widen(value);
    if (bytes_.size() < BytesOf(size_ + 1)) Grow();
    Store(size_++, value);
  }
  void Set(std::size_t at, std::int64_t value) {
    if (!Fits(value)) Widen(value);
    Store(at, value);
  }
  // Uses the same few instructions for all widths, since most analyses call this in inner loops.
  // Reads eight bytes at the number, whatever its width, and shifts them up and down, which also
  // extends the sign. Width 2, number 1 of the bytes `05 00 | FE FF | 07 00 | ..`:
  //
  //   read       FE FF 07 00 .. .. .. ..    (lowest byte first)
  //   << 48      00 00 00 00 00 00 FE FF
  //   >> 48      FE FF FF FF FF FF FF FF    = -2
  //
  // The smallest number of the width (0x8000 here) is below -most_ and reads as absent. The buffer
  // is 8 bytes longer than the numbers, so the read stays inside.
  [[gnu::always_inline]] std::int64_t operator[](std::size_t at) const {
    std::int64_t value;
    std::memcpy(&value, bytes_.data() + at * width_, sizeof value);
    const std::size_t others = 64 - 8 * width_;  // Bits of the following numbers.
    if constexpr (std::endian::native == std::endian::little) {
      value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << others);
    }
    value >>= others;
    return value < -most_ ? kAbsent : value;
  }

 private:
  /// Bytes for this many numbers, plus 8 so that the last one can be read.
  std::size_t BytesOf(std::size_t count) const { return count * width_ + sizeof(std::int64_t); }
  template <class T>
  void StoreAs(std::size_t at, std::int64_t value) {
    const T narrow = value == kAbsent ? std::numeric_limits<T>::min() : static_cast<T>(value);
    std::memcpy(bytes_.data() + at * sizeof(T), &narrow, sizeof(T));
  }
  void Store(std::size_t at, std::int64_t value) {
    switch (width_) {
      case 1:
        return StoreAs<std::int8_t>(at, value);
      case 2:
        return StoreAs<std::int16_t>(at, value);
      case 4:
        return StoreAs<std::int32_t>(at, value);
      default:
        return StoreAs<std::int64_t>(at, value);
    }
  }
  /// The smallest number of each width is reserved: it means absent.
  bool Fits(std::int64_t value) const {
    return value == kAbsent || (value >= -most_ && value <= most_);
  }
  /// Copies all numbers to the next width that holds `value`: at most three times per object.
  void Widen(std::int64_t value);
  void Grow();

  // Memory for size_ or more numbers. The rest is uninitialized, to save time.
  std::vector<char, boost::noinit_adaptor<std::allocator<char>>> bytes_;
  std::size_t size_ = 0, reserved_ = 0;
  std::size_t width_ = 1;
  std::int64_t most_ = std::numeric_limits<std::int8_t>::max();
};

}  // namespace profgauge
