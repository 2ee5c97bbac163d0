// Converts numbers from outside to integers of a certain size. Converting a number that does not
// fit is undefined (double) or gives another number (integer); these functions return `otherwise`.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>

#include "base/numbers.h"
#include "base/value.h"

namespace profgauge {

/// `value` in 32 bits; `otherwise` if it does not fit.
constexpr std::int32_t Narrow(std::int64_t value, std::int32_t otherwise) {
  const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                    value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(value) : otherwise;
}

/// `value` without its fraction; `otherwise` if it is NaN or beyond ± kLargestWhole.
inline std::int64_t WithoutFraction(double value, std::int64_t otherwise) {
  return std::abs(value) <= kLargestWhole ? static_cast<std::int64_t>(value) : otherwise;
}

/// The nearest integer; nullopt if it is not within ± kLargestWhole.
inline std::optional<std::int64_t> Nearest(double value) {
  if (!(std::abs(value) <= kLargestWhole)) return std::nullopt;
  return std::llround(value);
}

/// Returns the number in `value`, a real one without its fraction; `otherwise` if there is no
/// number, or none that an integer can hold.
inline std::int64_t AsWhole(const Value& value, std::int64_t otherwise) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  return WithoutFraction(AsNumber(value, std::numeric_limits<double>::quiet_NaN()), otherwise);
}

}  // namespace profgauge
