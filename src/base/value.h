// One cell or one metric: a typed value, or absent. Absent is never 0.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace profgauge {

/// std::monostate is "absent". Times, counts and bytes are std::int64_t; shares and rates double.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

inline bool IsAbsent(const Value& value) { return value.index() == 0; }

/// The number in `value` (bool as 0 or 1), or `otherwise` when it is absent or text.
double AsNumber(const Value& value, double otherwise);

}  // namespace profgauge
