// Numbers: index "none", the largest integer, dates, median, and quantiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace profgauge {

// The real numbers that an integer can hold.

/// A real number of at most this magnitude can be converted to std::int64_t, even rounded. Larger
/// numbers come from damaged files, or are results without a meaning.
inline constexpr double kLargestWhole = 9e18;

// The index in a column or list that means "none".

inline constexpr std::uint32_t kNoIndex = 0xffff'ffff;

// Checks whether a time is a calendar date.

/// True if `unix_ns`, nanoseconds since 1970, is a plausible date of a profile: 2010 to 2099.
/// Clocks that count from boot, or from an arbitrary time, are usually outside.
constexpr bool IsDate(Ns unix_ns) {
  constexpr Ns kSecond = 1'000'000'000;
  constexpr Ns kFrom = 1'262'304'000 * kSecond, kUntil = 4'102'444'800 * kSecond;
  return unix_ns >= kFrom && unix_ns < kUntil;
}

// Median and deviation of values.

/// Standard deviation of normal values per median absolute deviation: 1 / Φ⁻¹(3/4).
inline constexpr double kDeviationsOfMad = 1.4826;

/// The median. For an even number of values, the mean of the two in the middle, which is rounded
/// down for integers. O(n). REQUIRES: `values` is not empty and has no NaN.
template <class T>
T Median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const T below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

// Student's t distribution.

/// Quantile of Student's t; degrees of freedom may be fractions and are at least 1.
double StudentQuantile(double probability, double degrees);

}  // namespace profgauge
