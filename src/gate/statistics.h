// Statistics of few, skewed and dependent values: medians, shifts by order statistics, p-values.
//
// The gate's comparisons (estimate.h, by_chance.h, parts.h, significance.h) use these estimates and
// tests; change.h decides with limits. Functions do not log or throw, and keep no state that
// changes an answer. Values must not be NaN.
//
// All are closed forms without random numbers: equal input gives equal answers.
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
/// The unbiased variance of a sample: the sum of squared deviations divided by n - 1, in squared
/// units of the values; 0 for fewer than two values. Computed in two passes, so a large common
/// offset costs no precision.
double Variance(std::span<const double> values);
/// The median; for an even count, the mean of the middle two. O(n), on a copy. REQUIRES: not empty.
double Median(std::span<const double> values);
/// True if two values differ at most in the last digit, which a file may lose.
bool IsRounding(double a, double b);
/// The median absolute deviation from the median (Hampel 1974), times kDeviationsOfMad: the
/// standard deviation of a normal sample, resistant to outliers in up to half of the values. In the
/// values' unit. It is 0 if more than half of the values are equal, so callers need a floor before
/// they divide by it or use it as noise. REQUIRES: not empty.
double RobustSigma(std::span<const double> values);

/// The k-th smallest (1-based) of all differences current[j] - base[i]. Halves the range until at
/// most 2 (n + m) differences remain, and forms only these: O((n + m) * log(n * m)), at most 64
/// halvings if many are equal. So even a median of all pairs is cheap: two runs of 10 000
/// iterations have 10^8 differences, of which at most 40 000 are formed. REQUIRES: both sorted
/// ascending, not empty, 1 <= k <= n * m.
double KthDifference(std::span<const double> sorted_base, std::span<const double> sorted_current,
                     std::uint64_t k);

/// Hodges-Lehmann shift between two series: the median of all differences current[j] - base[i]; for
/// an even number of pairs, the mean of the middle two. Relative to the difference of means, its
/// efficiency for normal values is 3 / pi (0.955). A quarter of either series may be outliers of
/// any size. 0 for equal series. Cost: KthDifference(), twice for an even number of pairs.
/// REQUIRES: both sorted ascending, not empty.
double MedianDifference(std::span<const double> sorted_base,
                        std::span<const double> sorted_current);

/// An estimated difference, in the values' unit. The error comes from the distribution-free
/// interval of the shift by order statistics (Lehmann 1963): it includes the spread of both series,
/// and outliers hardly widen it.
struct Shift {
  double estimate = 0;        ///< MedianDifference.
  double standard_error = 0;  ///< For independent values; 0 if there are too few.
};
/// The shift and its error. The error assumes independent values, so the caller multiplies its
/// square by ErrorInflation(). It is 0 for a single pair of values, and if both ends of the
/// interval are equal, e.g. for two constant series. Such values show no spread, but there may be
/// one. REQUIRES: both sorted ascending, not empty.
Shift EstimateShift(std::span<const double> sorted_base, std::span<const double> sorted_current);

/// The lag-1 autocorrelation, pooled over all series of a comparison. A short series is weak
/// evidence, so the estimate starts at 0.5 with the weight of 16 values. It uses ranks, so that a
/// single stall does not change it. A series of n values has the weight n - 4, after correction for
/// the bias of short series (see Add()).
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

/// Factor by which autocorrelation `rho` raises the variance of a mean of `n` values, if each value
/// depends on the one before it (AR(1), Bayley & Hammersley 1946). 1 for rho 0 or n 1. At rho 0.5
/// it is 2.8 for 20 values and 3 for many, so 20 such values equal 7 independent ones.
/// REQUIRES: 0 <= rho < 1, n >= 1.
double MeanInflation(double rho, double n);
/// The factor for the square of an error that was estimated from `n` such values. Their own spread
/// is too small as well, because neighbors are closer than independent values. At least
/// MeanInflation(). REQUIRES: as MeanInflation().
double ErrorInflation(double rho, double n);

using profgauge::StudentQuantile;

/// Selects the significant ones of `p_values`, so that the expected share of false ones stays below
/// `q` (Benjamini & Hochberg 1995), for independent or positively dependent tests. By index of
/// `p_values`; empty for an empty list. O(n log n). REQUIRES: each is 0 to 1. Leave out failed
/// tests (-1 of PValue()), which would count as the most certain ones.
std::vector<bool> BenjaminiHochberg(std::span<const double> p_values, double q);

/// The two-sided p-value of a shift between two autocorrelated series: Student's t of
/// EstimateShift(), with the degrees of freedom of as many independent values. `base` and `current`
/// are in the order of time, unsorted. -1 if a series has fewer than two values. 1 for a shift of
/// 0. 0 if the values show no spread and the shift is not 0, as two constant values per side do; so
/// a caller also needs a least change (like significance.h).
double PValue(std::span<const double> base, std::span<const double> current);

/// The one-sided p-value of Fisher's exact test: the probability that at least `more` of `of_more`
/// are marked if `fewer` of `of_fewer` are, and both are marked equally often. 1 if nothing can be
/// shown: `more` is 0, or `fewer` equals `of_fewer` (which may be 0). E.g. 2 of 20 iterations
/// beside 2 of 60 happen by chance in 26 of 100. REQUIRES: more <= of_more, fewer <= of_fewer; both
/// totals fit in 32 bits.
double FisherPValue(std::size_t more, std::size_t of_more, std::size_t fewer, std::size_t of_fewer);

/// Rounds `parts` to integers whose sum is exactly `total`. The largest remainders are rounded up
/// first; of equal ones the earlier part (Hamilton's method of largest remainders). Parts may be
/// negative. Each differs from its part by less than 1 if `total` is the rounded sum of `parts`;
/// else the difference is spread evenly. Empty for no parts, whatever `total` is. O(n log n).
std::vector<std::int64_t> RoundToSum(std::span<const double> parts, std::int64_t total);

}  // namespace profgauge::gate::stats
