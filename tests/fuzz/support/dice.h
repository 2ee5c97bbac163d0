// Choices of a mutator: the same seed, the same choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace profgauge::fuzz {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  /// 0 to n - 1. REQUIRES: n > 0.
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Next() % n); }
  bool OneIn(std::size_t n) { return Below(n) == 0; }
  template <class List>
  auto& Of(List& list) {
    return list[Below(std::size(list))];
  }

 private:
  std::uint64_t state_;
};

/// A number at which something tends to go wrong.
inline std::int64_t OddNumber(Dice& dice) {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr std::int64_t kOdd[] = {0,
                                   1,
                                   -1,
                                   2,
                                   3,
                                   7,
                                   31,
                                   64,
                                   255,
                                   256,
                                   1000,
                                   65'535,
                                   1 << 20,
                                   INT32_MAX,
                                   INT32_MIN,
                                   UINT32_MAX,
                                   1LL << 32,
                                   1LL << 53,
                                   -(1 << 30),
                                   1'000'000,
                                   10'000'000'000,
                                   Limits::max(),
                                   Limits::min(),
                                   Limits::max() / 2,
                                   Limits::min() + 1,
                                   Limits::max() - 1,
                                   1'700'000'000'000'000'000};
  return dice.Of(kOdd);
}

/// A text that is no name.
inline std::string OddText(Dice& dice) {
  static const std::string kOdd[] = {"",
                                     " ",
                                     std::string(1, '\0'),
                                     "\xff\xfe",
                                     "\xe2\x80\xae",
                                     "<script>",
                                     "=1+1",
                                     "a\nb",
                                     "nan",
                                     "-inf",
                                     "1e999",
                                     "-0",
                                     "0x7f",
                                     "[[2, 3], [], 4]",
                                     "{\"a\":",
                                     "ProfilerStep#7",
                                     "18446744073709551616",
                                     std::string(300, 'x')};
  return dice.Of(kOdd);
}

/// `text` with some bytes changed as libFuzzer likes.
inline std::string MutatedText(std::string text, std::size_t room) {
  const std::size_t size = text.size();
  text.resize(size + room);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, size + room));
  return text;
}

}  // namespace profgauge::fuzz
