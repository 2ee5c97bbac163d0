// Parses numbers of trace events exactly: a double would be off by up to 253 ns.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace profgauge::readers {

/// The meaning of the digits after the point of a time.
enum class Fraction : std::uint8_t {
  kDecimal,   ///< 1.5 is 1500 ns.
  kUnpadded,  ///< 1.5 is 1005 ns: nightlies of March 2024 wrote the nanoseconds without zeros.
};

/// Limits: start times beyond ± kMaxTime (73 years) and durations beyond kMaxDuration (11.6 days)
/// are implausible.
inline constexpr Ns kMaxTime = Ns{1} << 61;
inline constexpr Ns kMaxDuration = 1'000'000'000'000'000;

/// Converts microseconds in JSON's number syntax to nanoseconds. Digits below a nanosecond are
/// rounded half away from zero. nullopt if `text` is no number or beyond ± `limit` ns. O(text).
std::optional<Ns> ParseMicroseconds(std::string_view text, Fraction fraction, Ns limit);

/// Parses an integer, even if it is written as "7.0" or "7e0". Values from 2^63 on wrap, as
/// addresses do. Other fractions are rounded half away from zero: "1.5" is 2.
std::optional<std::int64_t> ParseInteger(std::string_view text);
/// Parses any finite number.
std::optional<double> ParseReal(std::string_view text);

/// Reads "[24, 1, 1]" or "24,1,1" into three numbers. If a number is missing or too large, it and
/// those after it stay unchanged in `out`.
void ReadTriple(std::string_view text, std::int32_t (&out)[3]);

/// Finds out how a file writes fractions, from its first chunk. kUnpadded if times are absolute (16
/// digits before the point), some fraction has fewer than three digits, and some fraction ends in
/// 0, which a shortest double never does. In the nightlies' form, .7 is 7 ns and .70 is 70 ns; in
/// all others both are 700 ns.
Fraction DetectFraction(std::string_view chunk);

}  // namespace profgauge::readers
