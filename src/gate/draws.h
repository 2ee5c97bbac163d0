// By chance: the change if chance decided which iterations belong to which run.
//
// There are no random numbers in a verdict: the draws of comparisons of the same sizes are the same
// on every machine, and values are sorted first, so that the order of files does not matter either.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace profgauge::stats {

/// Steele, Lea and Flood 2014.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Parts that change sides together: two columns of an iteration, or of a block of them.
using Drawn = std::array<double, 2>;

/// Sums of both columns on one side.
struct DrawnSums {
  Drawn base{}, current{};
};

/// Calls `each` for every draw: as many of all `values` as `current` has at random are the
/// candidate's, the rest the baseline's. Time: kDraws times the smaller side.
/// REQUIRES: 0 < current < values.size() < 2^32.
void ForEachDraw(std::vector<Drawn> values, std::size_t current,
                 const std::function<void(const DrawnSums&)>& each);

/// Probability that a standard normal value is below `z`.
double NormalShare(double z);

}  // namespace profgauge::stats
