// Types of expressions: true/false, text, or a number with a dimension.
//
// A dimension is a combination of powers of time, bytes and operations, so that `bytes / time` is a
// bandwidth and `time / time` a plain number. Values are kept in the base units of base/units.h:
// nanoseconds, bytes, operations, and rates per *second*.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace profgauge::expr {

enum class Kind : std::uint8_t { kBool, kText, kNumber };

struct Type {
  Kind kind = Kind::kNumber;
  std::int8_t time = 0, bytes = 0, flop = 0;  ///< Powers; all 0 for a plain number.
  Unit unit = Unit::kNumber;  ///< How it is shown; counts, shares and numbers are one dimension.
};

Type TypeOf(Unit unit);
bool SameDimension(const Type& a, const Type& b);
/// The product (`sign` 1) or quotient (-1). `ok` is false when a power gets out of range, which no
/// sensible formula reaches.
Type Combine(const Type& a, const Type& b, int sign, bool& ok);
/// The factor that brings a product or quotient of values in base units to base units
/// again: rates are per second, times in nanoseconds.
double CombineFactor(const Type& a, const Type& b, int sign, const Type& result);
/// "time", "number", "bandwidth", "string", "true or false", "time^2".
std::string TypeName(const Type& type);

}  // namespace profgauge::expr
