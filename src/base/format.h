// The one number formatter: a value and its unit become the text shown everywhere.
//
// Durations and sizes 3 significant digits with a unit chosen by magnitude (343 ms, 1.22 GB), shares
// in percent with one decimal (two significant digits below 1 %), counts grouped by thin spaces,
// U+202F between number and unit. Locale-free, same value same text.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "base/value.h"

namespace profgauge {

/// "–" (en dash) when absent.
std::string FormatValue(const Value& value, Unit unit);
std::string FormatDuration(double ns);         ///< "343 ms", "1.23 µs", "0 ns", "12.3 s"
std::string FormatShare(double share);         ///< "31.4 %", "0.052 %"
std::string FormatCount(std::int64_t count);   ///< "12 345"
std::string FormatBytes(double bytes);         ///< decimal units: "1.22 GB"
/// The exact value with its base unit, for titles: "343123456 ns", "0.3141592653589793".
std::string FormatExact(const Value& value, Unit unit);

}  // namespace profgauge
