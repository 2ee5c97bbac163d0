// How much the typical iteration changed, and how sure that is.
#pragma once

#include <cstddef>
#include <optional>

#include "gate/sides.h"

namespace profgauge::stats {

/// The estimate of the change, in the unit that adds up.
struct Estimate {
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

  double Error() const;
  double Low() const { return shift - quantile * Error(); }
  double High() const { return shift + quantile * Error(); }
  double Least() const;  ///< Smallest reading.
  double Most() const;
  /// The smallest change that nine of ten comparisons like this one would fail.
  double Sees(double limit) const;
  /// The same if runs had this many times the iterations, and variances of runs were this many
  /// times as large.
  double SeesWith(double limit, double iterations, double runs) const;
};

Estimate MakeEstimate(const Side& base, const Side& current, double noise_floor);

/// Variance of the median of this many normal values, in variances of one.
double MedianFactor(std::size_t runs);

/// Iterations a run, or baseline runs, that would shrink the error to `target`.
Remedy FindRemedy(const Estimate& estimate, double target, std::size_t iterations, const Side& base,
                  const Side& current);

/// The way to detect much smaller changes: more iterations, or more baseline runs,
/// whichever helps more. kNone where neither does much, or nothing is missing.
struct SeesMore {
  Remedy remedy;
  double sees = 0;  ///< Then, in the unit that adds up.
};
SeesMore FindSeesMore(const Estimate& estimate, double limit, std::size_t iterations,
                      const Side& base, const Side& current);

}  // namespace profgauge::stats
