// Which real numbers a whole one can hold.
#pragma once

namespace profgauge {

/// A real number of at most this size, either sign, can become a std::int64_t, also when it is
/// rounded. What is larger is of a damaged file, or a product that says nothing.
inline constexpr double kLargestWhole = 9e18;

}  // namespace profgauge
