// One bit for each of many steps or rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profgauge::analysis::simulation {

/// Like std::vector<bool>, whose reads compilers do not inline in inner loops.
class Flags {
 public:
  Flags() = default;
  /// All bits are off.
  explicit Flags(std::size_t size) : size_(size), words_((size + kBits - 1) / kBits) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return words_.capacity() * sizeof(std::uint64_t); }
  [[gnu::always_inline]] bool operator[](std::size_t at) const {
    return (words_[at / kBits] >> (at % kBits) & 1) != 0;
  }
  void Set(std::size_t at) { words_[at / kBits] |= std::uint64_t{1} << (at % kBits); }
  /// Sets the bits [begin, end).
  /// O((end - begin) / 64).
  void Set(std::size_t begin, std::size_t end) {
    for (; begin < end && begin % kBits != 0; ++begin) Set(begin);
    for (; begin + kBits <= end; begin += kBits) words_[begin / kBits] = ~std::uint64_t{0};
    for (; begin < end; ++begin) Set(begin);
  }
  void reserve(std::size_t size) { words_.reserve((size + kBits - 1) / kBits); }
  void push_back(bool is_on) {
    if (size_ % kBits == 0) words_.push_back(0);
    if (is_on) Set(size_);
    ++size_;
  }

 private:
  static constexpr std::size_t kBits = 64;

  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace profgauge::analysis::simulation
