// Which real numbers a whole one can hold.
#pragma once

namespace profgauge {

/// A real number of at most this size, either sign, can become a std::int64_t, also when it is
/// rounded. Larger numbers come from damaged files, or are results without a meaning.
inline constexpr double kLargestWhole = 9e18;

}  // namespace profgauge
