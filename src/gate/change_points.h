// Finds the points at which a history of measurements changed its level.
//
// Hierarchical bisection by the energy statistic (E-divisive: Matteson & James 2014). Each split is
// confirmed by Welch's t-test and a least magnitude, as in Hunter and Otava. These replace the
// permutation test, so the result is deterministic.
//
//     value   10 10 11 10 10 | 15 15 14 15 15 | 12 12 12        change points at 5 and 10
//     split 1                ^  p < 0.001                       the strongest first,
//     split 2                                 ^ p < 0.001       then within both sides
//
// For histories with one number per run (gate/history_check.h). It assumes that neighbors are
// independent, so it does not suit iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace profgauge::gate::stats {

/// One change of the level, between two values of the series.
struct ChangePoint {
  std::size_t index = 0;  ///< First value of the new level.
  double before = 0;      ///< Mean of the segment before.
  double after = 0;       ///< Mean of the segment after.
  double change = 0;      ///< after / before - 1.
  double p_value = 1;     ///< Welch's t-test between the two segments.
};

/// How certain and how large a change must be. Among few values, even a real change may not reach
/// `max_p_value`. So no change point means that no change is certain, not that there is none.
struct ChangePointOptions {
  double max_p_value = 0.001;   ///< The largest p-value of a split. Default: as Hunter.
  double min_magnitude = 0.01;  ///< Relative. Default: 1 %.
  std::size_t min_segment = 3;  ///< Fewest values on either side.
};

/// The number of last values that FindChangePoints() examines.
inline constexpr std::size_t kMostStepped = 2000;

/// Change points in ascending order, each significant between the segments beside it; none for
/// fewer than 2 * min_segment values, nor where a ramp fits far better than a step (creep). A
/// change from a mean of 0 has no relative size and is dropped, unless min_magnitude is 0. The
/// relative magnitude needs positive `values`. Time: O(n^2) per split. At most the last
/// kMostStepped values are examined, but `index` counts from the first of all. REQUIRES:
/// min_segment >= 2.
std::vector<ChangePoint> FindChangePoints(std::span<const double> values,
                                          const ChangePointOptions& options);

enum class RampEnd : std::uint8_t { kAnywhere, kAtLast };

/// The least sum of squares around two levels with a straight rise or fall between them, which has
/// no place where the level changed; either level may be empty:
///
///     10 10 10 | 15 15 15          a step
///     10 10 11 12 13 14 15 15      a ramp over 5 values
///
/// The ramp takes at least `least_rise` values, and ends at the last one or anywhere. The sum
/// around the mean if there are too few. O(n^2); O(n) if it ends at the last one. REQUIRES: a
/// value, and least_rise >= 1.
double FitOfRamp(std::span<const double> values, std::size_t least_rise, RampEnd ending);

}  // namespace profgauge::gate::stats
