// Statistics of a series of iteration times: its center, spread, outliers and drift, and the part
// of it that is steady. Plain functions of numbers, which know no profile: the gate asks them of
// the series of baselines, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "knowledge/tunable.h"

namespace profgauge::analysis::breakdown {

/// In the unit of the values; `cv`, `robust_cv` and `drift` are relative.
struct SeriesStats {
  double mean = 0, median = 0, min = 0, max = 0, p95 = 0;
  /// Sample standard deviation (n - 1), and by the mean; absent for a single value.
  std::optional<double> stddev, cv;
  /// 1.4826 times the median absolute deviation, by the median; absent for a single value.
  std::optional<double> robust_cv;
  std::int64_t outliers = 0;  ///< Values over median + deviations * 1.4826 * MAD.
  /// Theil-Sen slope per position, by the median; absent for fewer than 3 values.
  std::optional<double> drift;
};

/// `deviations`: the distance of an outlier from the median. REQUIRES: not empty; no value
/// negative. O(n log n), and O(n²) for the drift of up to 1000 values.
SeriesStats Describe(
    std::span<const double> values,
    knowledge::Ratio deviations = knowledge::TunableThresholds{}.iterations_outlier_deviations);

/// The median absolute deviation from `median`, not scaled. REQUIRES: not empty.
double MedianDeviation(std::span<const double> values, double median);

/// `share` of the values are at most this; linear between the two nearest (0 <= share <= 1).
/// REQUIRES: sorted ascending, not empty.
double Quantile(std::span<const double> sorted, double share);

/// Median of the slopes between all pairs. Above 1000 values the medians of equal blocks represent
/// their values, so that time stays bounded; values after the last whole block do not count.
/// REQUIRES: at least 2 values. Source: Theil 1950, Sen 1968.
double TheilSenSlope(std::span<const double> values);

/// A run of consecutive values, [first, last).
struct SteadyRange {
  std::size_t first = 0, last = 0;
  double cv = 0;
};
/// The longest run of at least 3 values with a coefficient of variation of at most `variation`; the
/// steadiest of several. Nothing when there is none, when the whole series is steady already, or
/// when the series is longer than 10000 values or has at most 3. O(n²).
std::optional<SteadyRange> FindSteadyRange(
    std::span<const double> values,
    knowledge::Ratio variation = knowledge::TunableThresholds{}.iterations_steady_variation);

}  // namespace profgauge::analysis::breakdown
