// Statistics for comparing repeated measurements of two runs: is this one slower, by how much, and
// how sure can one be?
//
// Iteration times are few, skewed to the right, autocorrelated, and carry a run effect that no
// number of iterations inside one run reveals. So: ranks and medians instead of means, a
// Hodges-Lehmann shift on logarithms, an interval widened for autocorrelation, and a between-run
// term with a prior. Closed forms only: no random numbers, same input same verdict.
//
// Sources: Hodges & Lehmann 1963 (shift and interval by order statistics of the pair differences);
// Mann & Whitney 1947 (their distribution); Benjamini & Hochberg 1995.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::stats {

/// Median; the mean of the middle two for an even count. REQUIRES: not empty.
double Median(std::span<const double> values);
/// 1.4826 times the median absolute deviation from the median: the standard deviation of a normal
/// sample, without its outliers. REQUIRES: not empty.
double RobustSigma(std::span<const double> values);

/// How many iterations at the front are warm-up.
struct Warmup {
  std::size_t dropped = 0;
  bool steady = true;  ///< false: a third was dropped and it had not settled; judge nothing on it.
};
/// Drops from the front while a value lies above the last half's median + 3 robust sigmas; stops at
/// the first two inliers in a row; never drops more than a third.
Warmup FindWarmup(std::span<const double> values);

/// The k-th smallest (1-based) of all differences current[j] - base[i], without forming them:
/// O((n + m) * 64). REQUIRES: both sorted ascending, not empty, 1 <= k <= n * m.
double KthDifference(std::span<const double> sorted_base, std::span<const double> sorted_current,
                     std::uint64_t k);

/// Shift of one series against another, with a 90 % interval that knows their autocorrelation.
struct Shift {
  double estimate = 0;  ///< Hodges-Lehmann: median of all pair differences.
  double low = 0, high = 0;
  double standard_error = 0;
  double degrees = 1;    ///< Degrees of freedom of the interval.
  double inflation = 1;  ///< Variance inflation by autocorrelation, 1 when unknown.
  double autocorrelation = 0;
  bool low_confidence = false;  ///< Too few values for the interval to hold 90 %.
};
/// REQUIRES: neither series is empty.
Shift EstimateShift(std::span<const double> base, std::span<const double> current);
/// The same with a known lag-1 autocorrelation, 0 <= autocorrelation < 1.
Shift EstimateShift(std::span<const double> base, std::span<const double> current,
                    double autocorrelation);

enum class Change : std::uint8_t { kPass, kFail, kImproved, kInconclusive };
std::string_view ChangeName(Change change);  ///< "pass", "fail", "improved", "inconclusive"

enum class Strictness : std::uint8_t {
  kNormal,   ///< Fails when the estimate is beyond the limit and the change is certainly above 0.
  kCertain,  ///< Fails only when the change is certainly beyond the limit.
};

struct CompareOptions {
  /// Tolerated increase: relative (0.05 is 5 %) on logarithms, absolute otherwise. Default: 5 %.
  double limit = 0.05;
  /// Work on logarithms (times: relative changes) or on the values (shares: percentage points).
  bool logarithmic = true;
  /// Smallest absolute change of the median that may fail, in the values' unit. Default: none.
  double absolute_floor = 0;
  /// Prior of the run-to-run effect's standard deviation, in the unit of `limit`.
  double noise_floor = 0.01;
  /// Whether an increase is the bad direction. Default: lower is better.
  bool lower_is_better = true;
  Strictness strictness = Strictness::kNormal;
};

struct Comparison {
  Change change = Change::kInconclusive;
  double shift = 0, low = 0, high = 0;  ///< Relative (logarithmic) or absolute; positive: increase.
  double base_median = 0, current_median = 0;  ///< Medians over the runs' medians.
  double noise = 0;                            ///< Estimated run-to-run standard deviation.
  double minimum_detectable = 0;  ///< Change that this comparison would find with 80 % power.
  double autocorrelation = 0;
  std::size_t base_values = 0, current_values = 0;
  bool low_confidence = false;
  bool limit_below_noise = false;  ///< The limit is so tight that false alarms must be expected.
  std::string advice;              ///< When inconclusive: what would decide it, in one clause.
};

/// Compares candidate runs with baseline runs, each a series of at least one value.
/// Identical series are a pass with exactly zero change, however noisy they are.
/// REQUIRES: neither list nor any series is empty; all values > 0 when logarithmic.
Comparison Compare(std::span<const std::vector<double>> baselines,
                   std::span<const std::vector<double>> candidates, const CompareOptions& options);

/// Which of `p_values` are significant when the expected share of false ones is kept below `q`.
std::vector<bool> BenjaminiHochberg(std::span<const double> p_values, double q);

/// Two-sided p-value of a shift estimate against 0.
double PValue(const Shift& shift);

/// Rounds `parts` to integers that sum exactly to round(sum of parts): the largest remainders are
/// rounded up first, the earlier part at a tie.
std::vector<std::int64_t> RoundToSum(std::span<const double> parts, std::int64_t total);

}  // namespace profgauge::stats
