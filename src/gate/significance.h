// The stars of tables, and the random draws of totals, shares and sums.
//
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

namespace profgauge::gate {

/// A change of one kernel or op between two runs.
struct TestedChange {
  double p_value = -1;  ///< -1: it could not be tested.
  Ns delta = 0;         ///< Per iteration.
};

/// p-value of a shift between the per-iteration times of two runs, which are taken as
/// autocorrelated where they are too few to show it; -1 when a side has fewer than two. In the
/// order of time. A kernel that a run does not have is given as a series of zeros, not as none.
double PValueOf(std::span<const Ns> base, std::span<const Ns> current);

/// For each change whether it is called out: significant by Benjamini-Hochberg at q = 0.1, and at
/// least 50 us and 1 % of `mean`, the base's mean iteration time. Untested ones are never called
/// out. A star is information of a table: it fails nothing. A change without one may be real and
/// small, or too noisy to show.
std::vector<bool> FindSignificant(std::span<const TestedChange> changes, Ns mean);

}  // namespace profgauge::gate

namespace profgauge::gate::stats {

// By chance: the change if chance decided which iterations belong to which run.
//
// This is a permutation test (Fisher 1935, Pitman 1937) with a fixed sample of the permutations:
//
//     current:  9 1 1 1      base:  1 1 1 1 1 1 1 1       change of the means: 3 - 1 = 2
//     draw 1:   1 1 1 1             1 9 1 1 1 1 1 1       -1
//     draw 2:   1 1 9 1             1 1 1 1 1 1 1 1        2   as large: counts
//     ...       the slow one is drawn into the current four in a third of the draws
//
// So chance makes this change in 1 of 3, and the one slow iteration of the candidate shows nothing.
// It is valid if iterations (or blocks of them) could have been swapped between the runs without
// anyone seeing it: no drift within a run, no dependence beyond a block.
//
// There are no random numbers in a verdict: the draws of comparisons of the same sizes are the same
// on every machine, and values are sorted first, so that the order of files does not matter either.

/// A generator whose whole sequence follows from its seed, equal on every platform and library
/// (Steele, Lea and Flood 2014). The distributions of the standard library are not.
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

/// Calls `each` kDraws times: as many of all `values` as `current` has at random are the
/// candidate's, the rest the baseline's. The seed follows from both sizes only. The order of
/// `values` does not matter. Time: kDraws times the smaller side, and one sort.
/// REQUIRES: 0 < current < values.size() < 2^32.
void ForEachDraw(std::vector<Drawn> values, std::size_t current,
                 const std::function<void(const DrawnSums&)>& each);

/// Probability that a standard normal value is below `z`. Callers smooth draws with it: the noise
/// between runs is added to each drawn change in closed form instead of by further draws.
double NormalShare(double z);

}  // namespace profgauge::gate::stats
