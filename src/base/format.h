// The only number formatter: all outputs show a value and its unit through it.
//
// Durations and sizes have 3 significant digits and a unit chosen by magnitude (343 ms, 1.22 GB);
// shares are percentages with one decimal (two significant digits below 1 %); counts are grouped.
// The space in groups and before units is U+202F: narrow, and no line breaks there. Independent of
// locale; equal values give equal text. A double that is not finite is shown as absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"
#include "base/value.h"

namespace profgauge {

/// U+202F, the space of all formatted numbers.
inline constexpr std::string_view kNumberSpace = "\u202f";

/// The text for a cell or a metric, with the unit chosen by its magnitude: "343 ms", "31.4 %". "–"
/// (en dash) if absent. Text is returned unchanged; bool is "yes" or "no".
std::string FormatValue(const Value& value, Unit unit);
std::string FormatDuration(double ns);        ///< "343 ms", "1.23 µs", "0 ns", "12.3 s"
std::string FormatShare(double share);        ///< "31.4 %", "0.052 %", "0 %" for exactly nothing
std::string FormatCount(std::int64_t count);  ///< "12 345"
std::string FormatBytes(double bytes);        ///< decimal units: "1.22 GB", "512 B"
/// Whole numbers grouped ("12 345"), others with 3 significant digits ("2.35", "1 235").
/// Below 0.0001, and above 2^53 where doubles have gaps, in scientific form: "1.23e-07".
std::string FormatNumber(double number);
/// The number with exactly that many decimals, grouped: "1 234.50". REQUIRES: 0 <= decimals <= 15.
std::string FormatNumber(double number, int decimals);
/// A limit as a person writes it, without padding zeros: "60 %", "3.5 %", "300 ms", "1.5 GB". At
/// most six decimals, but not rounded to three digits like values: a person compares it with the
/// line of the policy.
std::string FormatLimit(double limit, Unit unit);
/// The exact value with its base unit, for titles: "343123456 ns", "0.3141592653589793".
std::string FormatExact(const Value& value, Unit unit);

// Uses plain blanks between numbers and units: `grep '36.1 %'` finds them, and columns of awk are
// as shown. Pages need blanks at which lines do not break.

inline std::string WithPlainBlanks(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(kNumberSpace);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += ' ';
    text.remove_prefix(at + kNumberSpace.size());
  }
}

}  // namespace profgauge
