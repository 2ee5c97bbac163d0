// Statistics of few, skewed and dependent values: medians, shifts by order statistics, p-values.
//
// The gate's comparisons (estimate.h, by_chance.h, parts.h, significance.h) are built of these.
// They are estimates and tests only: limits and undecided answers are change.h's. No function logs,
// throws or keeps state that changes an answer. A NaN among the values is not allowed anywhere.
//
// Closed forms only: no random numbers, same input same answer.
//
// Sources: Hodges & Lehmann 1963 (shift and interval by order statistics of the pair differences);
// Mann & Whitney 1947 (their distribution); Benjamini & Hochberg 1995; Fisher 1922 (2 x 2 tables).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers.h"

namespace profgauge::gate::stats {

/// A copy in ascending order. O(n log n).
std::vector<double> Sorted(std::span<const double> values);
/// The unbiased variance of a sample, the sum of squared deviations by n - 1, in squared units of
/// the values; 0 for fewer than two values. Two passes, so that values with a large common part
/// lose no digits.
double Variance(std::span<const double> values);
/// Median; the mean of the middle two for an even count. O(n), on a copy. REQUIRES: not empty.
double Median(std::span<const double> values);
/// Whether two values differ by no more than the last digit, which a file may lose.
bool IsRounding(double a, double b);
/// kDeviationsOfMad times the median absolute deviation from the median (Hampel 1974): the standard
/// deviation of a normal sample, without its outliers, which may be up to half of the values. In
/// the values' unit. 0 if more than half of the values are equal: callers that divide by it, or
/// take it for the noise, need a floor. REQUIRES: not empty.
double RobustSigma(std::span<const double> values);

/// The k-th smallest (1-based) of all differences current[j] - base[i], by halving the range until
/// 2 (n + m) of them are left, which are formed: O((n + m) * log(n * m)), at most 64 halvings where
/// many are equal. This makes a median of all pairs affordable: two runs of 10 000 iterations have
/// 10^8 differences, of which 40 000 at most are formed.
/// REQUIRES: both sorted ascending, not empty, 1 <= k <= n * m.
double KthDifference(std::span<const double> sorted_base, std::span<const double> sorted_current,
                     std::uint64_t k);

/// Hodges-Lehmann shift of one series against another: the median of all differences
/// current[j] - base[i], for an even number of pairs the mean of the middle two. Beside the
/// difference of means of normal values its efficiency is 3 / pi (0.955), and a quarter of either
/// series may be outliers of any size. It is 0 for equal series. Cost: as KthDifference,
/// twice for an even number of pairs. REQUIRES: both sorted ascending, not empty.
double MedianDifference(std::span<const double> sorted_base,
                        std::span<const double> sorted_current);

/// An estimated difference in the values' unit. The error is derived from the interval of the shift
/// that order statistics give without a distribution (Lehmann 1963): it counts the spread of both
/// series, and no outlier widens it much.
struct Shift {
  double estimate = 0;        ///< MedianDifference.
  double standard_error = 0;  ///< For independent values; 0 if there are too few.
};
/// The shift and its error. The error assumes independent values: the caller multiplies its square
/// by ErrorInflation(). It is 0 for a single pair of values, and where both ends of the interval
/// are equal, as of two constant series: then the values show no spread, which does not mean that
/// there is none. REQUIRES: both sorted ascending, not empty.
Shift EstimateShift(std::span<const double> sorted_base, std::span<const double> sorted_current);

/// One lag-1 autocorrelation over all series of a comparison, from ranks. A short series is weak
/// evidence: the estimate starts at 0.5 with the weight of 16 values.
/// Ranks, so that one stall does not make neighbors look alike or unlike. A series of n values
/// weighs n - 4, after the bias of a short one is taken off (see Add()).
class Autocorrelation {
 public:
  Autocorrelation();
  /// Adds a run's values in the order of time. Series of fewer than 5 values add nothing.
  void Add(std::span<const double> values);
  double Estimate() const;  ///< 0 to 0.8.

 private:
  double weighted_;
  double weight_;
};

/// Factor of autocorrelation `rho` on the variance of a mean of `n` values, for a series in which
/// each value follows the one before it (AR(1), Bayley & Hammersley 1946). 1 for rho 0 or n 1; at
/// rho 0.5 it is 2.8 for 20 values and 3 for many: 20 such values are worth 7 independent ones.
/// REQUIRES: 0 <= rho < 1, n >= 1.
double MeanInflation(double rho, double n);
/// Its factor on the square of an error estimated from `n` such values: these are
/// closer together than independent ones, so that their own spread understates the truth, too.
/// Never less than MeanInflation(). REQUIRES: as MeanInflation().
double ErrorInflation(double rho, double n);

using profgauge::StudentQuantile;

/// Which of `p_values` are significant when the expected share of false ones is kept below `q`
/// (Benjamini & Hochberg 1995), for tests that are independent or positively dependent. By index of
/// `p_values`; empty for an empty list. O(n log n). REQUIRES: each is 0 to 1; a test that could not
/// be made (-1 of PValue()) must not be in the list, it would count as the surest of all.
std::vector<bool> BenjaminiHochberg(std::span<const double> p_values, double q);

/// Two-sided p-value of a shift between two series, as autocorrelated as they are: Student's t of
/// EstimateShift() with as many degrees of freedom as the values are worth. `base` and `current`
/// are in the order of time, unsorted. -1: it cannot be tested, a series has fewer than two values.
/// 1 for a shift of 0. 0 where the values show no spread and the shift is not 0; two constant
/// values a side do that, so a caller needs a least change as well (significance.h has one).
double PValue(std::span<const double> base, std::span<const double> current);

/// One-sided p-value of Fisher's exact test: how probable it is that `more` or more of the
/// `of_more` are marked, where `fewer` of `of_fewer` are and both are marked alike often. 1 where
/// nothing can be shown: `more` is 0, or `fewer` is `of_fewer` (which may be 0). E.g. 2 of 20
/// iterations beside 2 of 60 are chance in 26 of 100.
/// REQUIRES: more <= of_more, fewer <= of_fewer; both totals fit 32 bits.
double FisherPValue(std::size_t more, std::size_t of_more, std::size_t fewer, std::size_t of_fewer);

/// Rounds `parts` to integers that sum exactly to `total`: the largest remainders are rounded up
/// first, the earlier part at a tie (the method of largest remainders, or Hamilton's). Parts may be
/// negative. Each differs from its part by less than 1 if `total` is the rounded sum of `parts`;
/// else the difference is spread evenly. Empty for no parts, whatever `total` is. O(n log n).
std::vector<std::int64_t> RoundToSum(std::span<const double> parts, std::int64_t total);

}  // namespace profgauge::gate::stats
