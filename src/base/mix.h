// Mixes numbers into a hash.
#pragma once

#include <cstdint>

namespace profgauge {

/// 2^64 divided by the golden ratio, made odd: products with it spread neighboring numbers over all
/// upper bits (Knuth, The Art of Computer Programming 3, 6.4).
inline constexpr std::uint64_t kGoldenRatio = 0x9e37'79b9'7f4a'7c15;

/// Mixes `part` into `seed`. Neighboring numbers differ in the upper and in the lower bits.
constexpr std::uint64_t Mixed(std::uint64_t seed, std::uint64_t part) {
  seed = (seed ^ part) * kGoldenRatio;
  return seed ^ seed >> 29;
}

}  // namespace profgauge
