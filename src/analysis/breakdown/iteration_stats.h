// Statistics of a series of iteration times: center, spread, outliers, drift and its steady part.
// The functions take only numbers, since the gate uses them for series of baselines, too.
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
  /// Sample standard deviation (n - 1), and its ratio to the mean; absent for a single value.
  std::optional<double> stddev, cv;
  /// 1.4826 times the median absolute deviation, divided by the median; absent for a single value.
  std::optional<double> robust_cv;
  std::int64_t outliers = 0;  ///< Values over median + deviations * 1.4826 * MAD.
  /// Theil-Sen slope per position, divided by the median; absent for fewer than 3 values.
  std::optional<double> drift;
};

/// `deviations`: the distance of an outlier from the median. REQUIRES: not empty; no negative
/// value. O(n log n), plus O(n²) for the drift of up to 1000 values.
SeriesStats Describe(
    std::span<const double> values,
    knowledge::Ratio deviations = knowledge::TunableThresholds{}.iterations_outlier_deviations);

/// The median absolute deviation from `median`, not scaled. REQUIRES: not empty.
double MedianDeviation(std::span<const double> values, double median);

/// Returns the value that `share` of the values do not exceed (0 <= share <= 1), interpolated
/// linearly between the two nearest. REQUIRES: sorted ascending, not empty.
double Quantile(std::span<const double> sorted, double share);

/// The median of the slopes between all pairs. More than 1000 values are replaced by medians of
/// equal blocks, to bound the time; values after the last whole block are ignored.
/// REQUIRES: at least 2 values. Source: Theil 1950, Sen 1968.
double TheilSenSlope(std::span<const double> values);

/// A run of consecutive values, [first, last).
struct SteadyRange {
  std::size_t first = 0, last = 0;
  double cv = 0;
};
/// The longest run of at least 3 values with a coefficient of variation of at most `variation`; the
/// steadiest if several are equally long. None if the whole series is already steady, or if it has
/// at most 3 or more than 10000 values. O(n²).
std::optional<SteadyRange> FindSteadyRange(
    std::span<const double> values,
    knowledge::Ratio variation = knowledge::TunableThresholds{}.iterations_steady_variation);

}  // namespace profgauge::analysis::breakdown
