// Estimates how much the typical iteration changed, with its uncertainty.
//
// All values are natural logarithms of times, which add up, with the sign that makes an increase
// bad (gate/sides.h). +0.0488 is +5 %; expm1() converts back. The error has two parts that
// iterations of a single run cannot separate:
//
//     baseline runs                        candidate
//       b1   ...:..:....                      ....:..:...      spread within a run: `within`,
//       b2        ....:..:....                                 less with more iterations
//       b3    ..:...:....                  the levels of equal runs differ: `between`,
//                                          less only with more runs, or a smaller noise floor
//
// change.cc decides by comparing the interval with the limit. If the interval is too wide, the
// answer is inconclusive, and FindRemedy() tells how to narrow it.
#pragma once

#include <cstddef>
#include <optional>

#include "gate/sides.h"

namespace profgauge::gate::stats {

/// The estimated change, in logarithms. The interval Low() to High() contains the true change with
/// 98 % (1 % outside at each end), if the noise between runs is at most the noise floor or the
/// observed spread.
struct Estimate {
  /// Medians over all pairs of a baseline run and a candidate.
  double shift = 0, all = 0;    ///< Without and with warm-up,
  std::optional<double> later;  ///< and of the later halves.
  /// The largest difference between `later` and `shift` that chance explains, for long runs.
  double later_chance = 0;
  double within = 0;    ///< Variance of `shift` from the iterations,
  double between = 0;   ///< and from the runs.
  double noise = 0;     ///< Standard deviation between runs.
  double quantile = 0;  ///< Errors from the change to an end of its interval.
  /// The standard deviation of a change of the total by noise between runs and typical iterations,
  /// scaled to a normal quantile. Without slow iterations, which gate/total.h draws.
  double sigma = 0;
  std::size_t runs = 0;            ///< Number of kept baseline runs.
  double spread = 0, slowest = 0;  ///< Standard deviation of their levels; distance of the
                                   ///< slowest from their median.

  /// One standard error of `shift`.
  double Error() const;
  double Low() const { return shift - quantile * Error(); }
  double High() const { return shift + quantile * Error(); }
  /// A failure needs all three estimates over the limit, and an improvement all three below it. A
  /// change in only one of them may be warm-up or drift.
  double Least() const;  ///< The smallest of these estimates.
  double Most() const;
  /// The smallest change that nine of ten such comparisons detect in the end, with all profiles
  /// that they ask for; a logarithm.
  double Sees(const Limits& limits) const;
  /// Sees() with this many baseline runs, and with iterations and variances times these factors.
  double SeesWith(const Limits& limits, std::size_t baseline_runs, double iterations,
                  double variances) const;
};

/// Estimates the change from `base` to `current`. `noise_floor` is the assumed relative standard
/// deviation between runs, 0 for none. If each side has one run, it is all the noise there is. From
/// 200 iterations per run on, the error within a run comes from batches, which include
/// autocorrelation. Cost: baseline runs times candidates times O(n log n) of their iterations.
/// REQUIRES: both sides keep a run, and both were made by MakeSide() with the same options.
Estimate MakeEstimate(const Side& base, const Side& current, double noise_floor);

/// Variance of the median of `runs` normal values, relative to that of one value: 1 for one value,
/// pi / 2 / n for many, a rational function between them (0.44 for three; exactly 0.449).
/// REQUIRES: runs >= 1.
double MedianFactor(std::size_t runs);

/// Finds how many iterations per run or baseline runs would shrink the error to `target`:
/// iterations if the noise between runs allows it, else up to 100 baseline runs, else kNothing,
/// because the candidates' own noise is too large. Assumes an unchanged spread and quantile.
/// `iterations` is the present number per run.
Remedy FindRemedy(const Estimate& estimate, double target, std::size_t iterations, const Side& base,
                  const Side& current);

/// The best way to detect much smaller changes: more iterations or more baseline runs. kNone if
/// neither removes a third of the distance from the limit.
struct SeesMore {
  Remedy remedy;
  double sees = 0;  ///< The change detected then, a logarithm.
};
SeesMore FindSeesMore(const Estimate& estimate, const Limits& limits, std::size_t iterations,
                      const Side& base, const Side& current);

}  // namespace profgauge::gate::stats
