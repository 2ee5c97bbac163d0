// The middle of some values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace profgauge {

/// Standard deviation of normal values, in median absolute deviations: 1 / Φ⁻¹(3/4).
inline constexpr double kDeviationsOfMad = 1.4826;

/// The value in the middle; of an even number of values the mean of the two in the middle, of
/// integers rounded towards the lower. O(n). REQUIRES: `values` is not empty and has no NaN.
template <class T>
T Median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const T below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

}  // namespace profgauge
