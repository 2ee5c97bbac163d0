// How much the typical iteration changed, and how sure that is.
//
// Everything here is in the unit that adds up: natural logarithms of times, with the sign that
// makes an increase bad (gate/sides.h). +0.0488 is +5 %; expm1() leads back. The error has two
// parts that no number of iterations of one run can separate:
//
//     baseline runs                        candidate
//       b1   ...:..:....                      ....:..:...      spread within a run: `within`,
//       b2        ....:..:....                                 less with more iterations
//       b3    ..:...:....                  the levels of equal runs differ: `between`,
//                                          less only with more runs, or a smaller noise floor
//
// estimate.h does not decide: change.cc compares the interval with the limit. An interval that
// reaches too far makes the answer inconclusive, which FindRemedy() says how to end.
#pragma once

#include <cstddef>
#include <optional>

#include "gate/sides.h"

namespace profgauge::gate::stats {

/// The estimate of the change, in the unit that adds up. The interval Low() to High() holds the
/// true change with 98 % (1 % outside at each end), if runs of one program differ by no more than
/// the noise floor or their own spread shows.
struct Estimate {
  /// Medians over all pairs of a baseline run and a candidate.
  double shift = 0, all = 0;    ///< Without and with warm-up,
  std::optional<double> later;  ///< and of the later halves.
  /// Later halves of long runs differ from `shift` only by chance up to this.
  double later_chance = 0;
  double within = 0;    ///< Variance of `shift` from the iterations,
  double between = 0;   ///< and from the runs.
  double noise = 0;     ///< Standard deviation between runs.
  double quantile = 0;  ///< Errors from the change to an end of its interval.
  /// Standard deviation of a change of the total by runs and typical iterations, scaled to a normal
  /// quantile. Slow iterations do not widen it: the draws hold them (gate/total.h).
  double sigma = 0;
  std::size_t runs = 0;            ///< Of the baseline that count;
  double spread = 0, slowest = 0;  ///< the standard deviation of their levels, the distance of the
                                   ///< slowest from their median.

  /// One standard error of `shift`.
  double Error() const;
  double Low() const { return shift - quantile * Error(); }
  double High() const { return shift + quantile * Error(); }
  /// A failure needs every reading over the limit, an improvement every one below: a change
  /// that only one of them shows may be warm-up or drift.
  double Least() const;  ///< Smallest reading.
  double Most() const;
  /// The smallest change that nine of ten such comparisons fail in the end, with as many recordings
  /// as they ask for; in the unit that adds up.
  double Sees(const Limits& limits) const;
  /// The same with this many baseline runs, times the iterations, and times the variances.
  double SeesWith(const Limits& limits, std::size_t baseline_runs, double iterations,
                  double variances) const;
};

/// Estimates the change from `base` to `current`. `noise_floor` is the relative standard deviation
/// between runs that is assumed, 0 to assume none. With one run a side the noise between runs is
/// the floor. From 200 iterations a run on the error within is taken from batches, which no
/// autocorrelation misleads.
/// Cost: baseline runs times candidates times O(n log n) of their iterations.
/// REQUIRES: both sides keep a run, and both come of MakeSide() with the same options.
Estimate MakeEstimate(const Side& base, const Side& current, double noise_floor);

/// Variance of the median of this many normal values, in variances of one: 1 for one value, and
/// pi / 2 / n for many. Between them a rational function, e.g. 0.44 for three (exactly 0.449).
/// REQUIRES: runs >= 1.
double MedianFactor(std::size_t runs);

/// Iterations a run, or baseline runs, that would shrink the error to `target`. Iterations where
/// the noise between runs allows it, else baseline runs up to 100, else kNothing: the candidates'
/// own noise is too large. An estimate, as if the spread stayed and the quantile did not shrink.
/// `iterations`: those that a run has now.
Remedy FindRemedy(const Estimate& estimate, double target, std::size_t iterations, const Side& base,
                  const Side& current);

/// The way to detect much smaller changes: more iterations, or more baseline runs,
/// whichever helps more. kNone where neither removes a third of the distance from the limit.
struct SeesMore {
  Remedy remedy;
  double sees = 0;  ///< Then, in the unit that adds up.
};
SeesMore FindSeesMore(const Estimate& estimate, const Limits& limits, std::size_t iterations,
                      const Side& base, const Side& current);

}  // namespace profgauge::gate::stats
