// Which of many changes are significant. Kernels are tested by the hundred, so that their
// p-values are judged together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// A change of one kernel or op between two runs.
struct TestedChange {
  double p_value = -1;  ///< -1: it could not be tested.
  Ns delta = 0;         ///< Per iteration.
};

/// p-value of a shift between the per-iteration times of two runs, which are taken as
/// autocorrelated where they are too few to show it; -1 when a side has fewer than two.
double PValueOf(std::span<const Ns> base, std::span<const Ns> current);

/// For each change whether it is called out: significant by Benjamini-Hochberg at q = 0.1, and at
/// least 50 us and 1 % of `mean`, the base's mean iteration time.
std::vector<bool> FindSignificant(std::span<const TestedChange> changes, Ns mean);

}  // namespace profgauge

namespace profgauge::stats {

// By chance: the change if chance decided which iterations belong to which run.
//
// There are no random numbers in a verdict: the draws of comparisons of the same sizes are the same
// on every machine, and values are sorted first, so that the order of files does not matter either.

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
