// Numbers of trace events from their digits: exact, where a double would be off by up to 253 ns.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace profgauge::readers {

/// Meaning of the digits after the point of a time.
enum class Fraction : std::uint8_t {
  kDecimal,   ///< 1.5 is 1500 ns.
  kUnpadded,  ///< 1.5 is 1005 ns: nightlies of March 2024 wrote the nanoseconds without zeros.
};

/// Start times beyond ± this (73 years) and durations beyond kMaxDuration (11.6 days) are not
/// meant.
inline constexpr Ns kMaxTime = Ns{1} << 61;
inline constexpr Ns kMaxDuration = 1'000'000'000'000'000;

/// Microseconds in JSON's number syntax to nanoseconds, rounded half away from zero beyond the
/// ninth decimal of a second. Empty when `text` is no number or beyond ± `limit` ns. Linear in its
/// length.
std::optional<Ns> ParseMicroseconds(std::string_view text, Fraction fraction, Ns limit);

/// A whole number, also when written "7.0" or "7e0"; values from 2^63 up wrap as addresses do.
/// Other fractions are rounded half away from zero: "1.5" is 2.
std::optional<std::int64_t> ParseInteger(std::string_view text);
/// Any finite number.
std::optional<double> ParseReal(std::string_view text);

/// "[24, 1, 1]" or "24,1,1" into three numbers; from one that is missing or does not fit on they
/// stay.
void ReadTriple(std::string_view text, std::int32_t (&out)[3]);

/// The dialect of fractions, judged by the first chunk: absolute times (16 digits before the
/// point), some fraction shorter than three digits, and some that ends in 0, which a shortest
/// double never does.
/// The fraction .7 is 7 ns and .70 is 70 ns in the nightlies' form, and 700 ns in all others.
Fraction DetectFraction(std::string_view chunk);

}  // namespace profgauge::readers
