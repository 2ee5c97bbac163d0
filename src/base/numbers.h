// Numbers with a meaning: none, too large, a date; the middle of some, and quantiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace profgauge {

// Which real numbers a whole one can hold.

/// A real number of at most this size, either sign, can become a std::int64_t, also when it is
/// rounded. Larger numbers come from damaged files, or are results without a meaning.
inline constexpr double kLargestWhole = 9e18;

// The place in a column or list that is none.

inline constexpr std::uint32_t kNoIndex = 0xffff'ffff;

// Whether a time is one of a calendar.

/// Whether `unix_ns`, nanoseconds since 1970, is a date on which a profile can have been recorded:
/// 2010 to 2099. Clocks that count from a boot, or from nothing, are below or beyond.
constexpr bool IsDate(Ns unix_ns) {
  constexpr Ns kSecond = 1'000'000'000;
  constexpr Ns kFrom = 1'262'304'000 * kSecond, kUntil = 4'102'444'800 * kSecond;
  return unix_ns >= kFrom && unix_ns < kUntil;
}

// The middle of some values.

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

// Student's t distribution.

/// Quantile of Student's t; degrees may be fractions and count as 1 at least.
double StudentQuantile(double probability, double degrees);

}  // namespace profgauge
