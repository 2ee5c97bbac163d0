// Units: the meaning of a number. Every metric and table column has one; formatting, parsing of
// literals and the dimensions of expressions are based on them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace profgauge {

/// Nanoseconds. Model times count from the profile's start.
using Ns = std::int64_t;

/// Dimension and base unit of a value. Values are always stored in the base unit named here.
enum class Unit : std::uint8_t {
  kText,       ///< A string.
  kBool,       ///< true or false.
  kCount,      ///< A number of things, an integer.
  kNumber,     ///< A plain number, e.g. an index, a ratio above 1, a slope.
  kTime,       ///< Nanoseconds.
  kShare,      ///< 0..1, shown in percent.
  kBytes,      ///< Bytes.
  kBandwidth,  ///< Bytes per second.
  kFlops,      ///< Floating-point operations.
  kFlopRate,   ///< Floating-point operations per second.
};

/// The name used in report.json: "text", "bool", "count", "number", "ns", "ratio", "bytes",
/// "bytes/s", "flop", "flop/s".
std::string_view UnitName(Unit unit);

/// A unit as written after a number: "ms" is a time, 1e6 of its base unit.
struct UnitSuffix {
  std::string_view text;
  Unit unit;
  double factor;
};
/// All suffixes: ns us µs ms s % B KB MB GB KiB MiB GiB GB/s TFLOP/s.
std::span<const UnitSuffix> UnitSuffixes();
/// nullptr if there is no such unit. Case-sensitive: "ms" is a time, "MS" is no unit.
const UnitSuffix* FindUnitSuffix(std::string_view text);

}  // namespace profgauge
