// Significance of changes in tables (stars), and the random draws for totals, shares and sums.
//
// Kernels are tested by the hundred, so their p-values are judged together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge::gate {

/// A change of one kernel or operator between two runs.
struct TestedChange {
  double p_value = -1;  ///< -1: it could not be tested.
  Ns delta = 0;         ///< Per iteration.
};

/// The p-value of a shift between the per-iteration times of two runs, which are in the order of
/// time. They are assumed to be autocorrelated if they are too few to show it. -1 if a side has
/// fewer than two. A kernel that a run does not have is passed as zeros, not as an empty series.
double PValueOf(std::span<const Ns> base, std::span<const Ns> current);

/// Selects the changes that get a star: significant by Benjamini-Hochberg at q = 0.1, and at least
/// 50 us and 1 % of `mean`, the base's mean iteration time. Untested changes get none. A star is
/// only information and fails nothing. A change without a star may be real but small, or too noisy.
std::vector<bool> FindSignificant(std::span<const TestedChange> changes, Ns mean);

}  // namespace profgauge::gate

namespace profgauge::gate::stats {

// A permutation test: how large would the change be if iterations were assigned to runs at random?
//
// (Fisher 1935, Pitman 1937.) A fixed sample of the permutations is drawn:
//
//     current:  9 1 1 1      base:  1 1 1 1 1 1 1 1       change of the means: 3 - 1 = 2
//     draw 1:   1 1 1 1             1 9 1 1 1 1 1 1       -1
//     draw 2:   1 1 9 1             1 1 1 1 1 1 1 1        2   as large: counts
//     ...       the slow one is drawn into the current four in a third of the draws
//
// So chance makes this change in 1 of 3, and the candidate's one slow iteration shows nothing. The
// test is valid if iterations (or blocks of them) are exchangeable between the runs: no drift
// within a run, no dependence beyond a block.
//
// Verdicts are deterministic: comparisons of the same sizes use the same draws on every machine,
// and values are sorted first, so the order of files does not matter.

/// A random generator whose sequence depends only on its seed, on every platform (Steele, Lea and
/// Flood 2014). The standard library's distributions do not guarantee this.
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

/// Values that change sides together: two columns, of an iteration or of a block of iterations.
using Drawn = std::array<double, 2>;

/// Sums of both columns on one side.
struct DrawnSums {
  Drawn base{}, current{};
};

/// Calls `each` kDraws times with sums over a random assignment: `current` of the `values` belong
/// to the candidate, the others to the baseline. The seed depends only on both sizes, and the order
/// of `values` does not matter. Time: kDraws times the smaller side, and one sort. REQUIRES: 0 <
/// current < values.size() < 2^32.
void ForEachDraw(std::vector<Drawn> values, std::size_t current,
                 const std::function<void(const DrawnSums&)>& each);

/// The probability that a standard normal value is below `z`. Callers use it to add the noise
/// between runs to each drawn change in closed form, instead of by further draws.
double NormalShare(double z);

}  // namespace profgauge::gate::stats
