// Where a history of measurements changed its level.
//
// Hierarchical bisection by the energy statistic (E-divisive: Matteson & James 2014), with each
// split confirmed by Welch's t-test and a least magnitude, as Hunter and Otava do it; that replaces
// the permutation test, so the result is deterministic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace profgauge::stats {

/// One change of the level, between two values of the series.
struct ChangePoint {
  std::size_t index = 0;  ///< First value of the new level.
  double before = 0;      ///< Mean of the segment before.
  double after = 0;       ///< Mean of the segment after.
  double change = 0;      ///< after / before - 1.
  double p_value = 1;     ///< Welch's t-test between the two segments.
};

/// How certain and how large a change must be.
struct ChangePointOptions {
  double max_p_value = 0.001;   ///< A split must be this certain. Default: as Hunter.
  double min_magnitude = 0.01;  ///< Relative. Default: 1 %.
  std::size_t min_segment = 3;  ///< Fewest values on either side.
};

/// Change points in ascending order; none for fewer than 2 * min_segment values.
/// Time: O(n^2) per split; at most the last 2000 values are looked at.
std::vector<ChangePoint> FindChangePoints(std::span<const double> values,
                                          const ChangePointOptions& options);

}  // namespace profgauge::stats
