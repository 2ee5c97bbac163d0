// Numbers that others wrote, as whole ones of a certain size. To convert a number that does not fit
// is undefined (a double) or gives another number (an integer): each states what it gives instead.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>

#include "base/numbers.h"
#include "base/value.h"

namespace profgauge {

/// `value` in 32 bits; `otherwise` where it does not fit.
constexpr std::int32_t Narrow(std::int64_t value, std::int32_t otherwise) {
  const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                    value <= std::numeric_limits<std::int32_t>::max();
  return fits ? static_cast<std::int32_t>(value) : otherwise;
}

/// `value` without its fraction; `otherwise` where it is no number or beyond ± kLargestWhole.
inline std::int64_t WithoutFraction(double value, std::int64_t otherwise) {
  return std::abs(value) <= kLargestWhole ? static_cast<std::int64_t>(value) : otherwise;
}

/// The nearest whole number; nothing where there is none within ± kLargestWhole.
inline std::optional<std::int64_t> Nearest(double value) {
  if (!(std::abs(value) <= kLargestWhole)) return std::nullopt;
  return std::llround(value);
}

/// The number in `value`, of a real one without its fraction; `otherwise` where there is none, or
/// none that a whole number can hold.
inline std::int64_t AsWhole(const Value& value, std::int64_t otherwise) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  return WithoutFraction(AsNumber(value, std::numeric_limits<double>::quiet_NaN()), otherwise);
}

}  // namespace profgauge
