// Statistics of few, skewed and dependent values: medians, shifts by order statistics, p-values.
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

namespace profgauge::stats {

/// Ascending.
std::vector<double> Sorted(std::span<const double> values);
/// For a sample; 0 for fewer than two values.
double Variance(std::span<const double> values);
/// Median; the mean of the middle two for an even count. REQUIRES: not empty.
double Median(std::span<const double> values);
/// Median absolute deviation of a normal sample to its standard deviation.
inline constexpr double kConsistency = 1.4826;
/// kConsistency times the median absolute deviation from the median: the standard deviation of a
/// normal sample, without its outliers. REQUIRES: not empty.
double RobustSigma(std::span<const double> values);

/// The k-th smallest (1-based) of all differences current[j] - base[i], by halving the range until
/// 2 (n + m) of them are left, which are formed: O((n + m) * log(n * m)), at most 64 halvings where
/// many are equal. REQUIRES: both sorted ascending, not empty, 1 <= k <= n * m.
double KthDifference(std::span<const double> sorted_base, std::span<const double> sorted_current,
                     std::uint64_t k);

/// Hodges-Lehmann shift of one series against another: the median of all differences
/// current[j] - base[i]. REQUIRES: both sorted ascending, not empty.
double MedianDifference(std::span<const double> sorted_base,
                        std::span<const double> sorted_current);

/// An estimated difference in the values' unit.
struct Shift {
  double estimate = 0;        ///< MedianDifference.
  double standard_error = 0;  ///< For independent values; 0 if there are too few.
};
/// REQUIRES: both sorted ascending, not empty.
Shift EstimateShift(std::span<const double> sorted_base, std::span<const double> sorted_current);

/// One lag-1 autocorrelation over all series of a comparison, from ranks. A short series is weak
/// evidence: the estimate starts at 0.5 with the weight of 16 values.
class Autocorrelation {
 public:
  Autocorrelation();
  /// Series of fewer than 5 values add nothing.
  void Add(std::span<const double> values);
  double Estimate() const;  ///< 0 to 0.8.

 private:
  double weighted_;
  double weight_;
};

/// Factor of autocorrelation `rho` on the variance of a mean of `n` values.
double MeanInflation(double rho, double n);
/// Its factor on the square of an error estimated from `n` such values: these are
/// closer together than independent ones.
double ErrorInflation(double rho, double n);

using profgauge::StudentQuantile;

/// Which of `p_values` are significant when the expected share of false ones is kept below `q`.
std::vector<bool> BenjaminiHochberg(std::span<const double> p_values, double q);

/// Two-sided p-value of a shift between two series, as autocorrelated as they are. -1: it cannot be
/// tested, a series has fewer than two values.
double PValue(std::span<const double> base, std::span<const double> current);

/// One-sided p-value of Fisher's exact test: how probable it is that `more` or more of the
/// `of_more` are marked, where `fewer` of `of_fewer` are and both are marked alike often.
/// REQUIRES: more <= of_more, fewer <= of_fewer.
double FisherPValue(std::size_t more, std::size_t of_more, std::size_t fewer, std::size_t of_fewer);

/// Rounds `parts` to integers that sum exactly to round(sum of parts): the largest remainders are
/// rounded up first, the earlier part at a tie.
std::vector<std::int64_t> RoundToSum(std::span<const double> parts, std::int64_t total);

}  // namespace profgauge::stats
