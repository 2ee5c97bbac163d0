#include "expr/ast.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace profgauge::expr {
namespace {

constexpr int kLargestPower = 4;

/// The unit that a dimension is shown in; kNumber for those without a name.
Unit UnitOf(const Type& type) {
  if (type.flop == 0 && type.bytes == 0 && type.time == 1) return Unit::kTime;
  if (type.flop == 0 && type.bytes == 1 && type.time == 0) return Unit::kBytes;
  if (type.flop == 0 && type.bytes == 1 && type.time == -1) return Unit::kBandwidth;
  if (type.flop == 1 && type.bytes == 0 && type.time == 0) return Unit::kFlops;
  if (type.flop == 1 && type.bytes == 0 && type.time == -1) return Unit::kFlopRate;
  return Unit::kNumber;
}

/// Powers of a second count as 1e9 ns each: the factor between "per second" and "per nanosecond".
double PerSecond(const Type& type) { return type.time < 0 ? std::pow(1e9, -type.time) : 1.0; }

}  // namespace

Type TypeOf(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return {Kind::kText, 0, 0, 0, unit};
    case Unit::kBool:
      return {Kind::kBool, 0, 0, 0, unit};
    case Unit::kTime:
      return {Kind::kNumber, 1, 0, 0, unit};
    case Unit::kBytes:
      return {Kind::kNumber, 0, 1, 0, unit};
    case Unit::kBandwidth:
      return {Kind::kNumber, -1, 1, 0, unit};
    case Unit::kFlops:
      return {Kind::kNumber, 0, 0, 1, unit};
    case Unit::kFlopRate:
      return {Kind::kNumber, -1, 0, 1, unit};
    case Unit::kCount:
    case Unit::kNumber:
    case Unit::kShare:
      return {Kind::kNumber, 0, 0, 0, unit};
  }
  return {};
}

bool SameDimension(const Type& a, const Type& b) {
  return a.kind == b.kind && a.time == b.time && a.bytes == b.bytes && a.flop == b.flop;
}

Type Combine(const Type& a, const Type& b, int sign, bool& ok) {
  const auto power = [&](std::int8_t x, std::int8_t y) {
    const int sum = x + sign * y;
    if (std::abs(sum) > kLargestPower) ok = false;
    return ok ? static_cast<std::int8_t>(sum) : std::int8_t{0};
  };
  ok = true;
  Type type;
  type.time = power(a.time, b.time);
  type.bytes = power(a.bytes, b.bytes);
  type.flop = power(a.flop, b.flop);
  type.unit = UnitOf(type);
  return type;
}

double CombineFactor(const Type& a, const Type& b, int sign, const Type& result) {
  const double parts = PerSecond(a) * (sign > 0 ? PerSecond(b) : 1 / PerSecond(b));
  return PerSecond(result) / parts;
}

std::string TypeName(const Type& type) {
  if (type.kind == Kind::kBool) return "true or false";
  if (type.kind == Kind::kText) return "string";
  switch (UnitOf(type)) {
    case Unit::kTime:
      return "time";
    case Unit::kBytes:
      return "bytes";
    case Unit::kBandwidth:
      return "bandwidth";
    case Unit::kFlops:
      return "operations";
    case Unit::kFlopRate:
      return "operation rate";
    default:
      break;
  }
  std::string name;
  const auto add = [&name](std::string_view base, int power) {
    if (power == 0) return;
    if (!name.empty()) name += '*';
    name += power == 1 ? std::string(base) : fmt::format("{}^{}", base, power);
  };
  add("bytes", type.bytes);
  add("operations", type.flop);
  add("time", type.time);
  return name.empty() ? "number" : name;
}

}  // namespace profgauge::expr
