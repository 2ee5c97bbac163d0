// Numbers with units as people write them: "300 ms", "75%", "1.5 GiB", "-2", "1e3".
//
// Strict on purpose: forms that other parsers silently read as other numbers ("010", "1_000",
// "0x10", ".5", "inf") are errors that state the right form. Expressions, policies and rule tests
// all read numbers here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/units.h"

namespace profgauge {

/// A number in the base unit of `unit`, which is kNumber without a suffix.
struct Literal {
  double value = 0;
  Unit unit = Unit::kNumber;
};

/// The length in bytes of the number at the start of `text`, without sign or unit: digits, an
/// optional fraction and an optional exponent. "12 ms" has 2, "1.5e3x" has 5, "1." and "010" have
/// 0. 0 means that there is none, or that its form is not accepted; ParseLiteral() has the reason.
std::size_t NumberLength(std::string_view text);

/// Returns the number in `text` times the factor of `suffix` (nullptr: 1), computed as long double
/// and rounded to the nearest double. REQUIRES: NumberLength(text) == text.size().
double ScaledNumber(std::string_view text, const UnitSuffix* suffix);

/// Parses all of `text`: an optional "-", a number, an optional blank, an optional unit. The error
/// is a clause for a message, "expected a number with an optional unit, found `fast`", perhaps with
/// advice after a semicolon.
tl::expected<Literal, std::string> ParseLiteral(std::string_view text);

/// Converts the literal to a value of `unit`. The error is a clause with the expected form and an
/// example, "a time needs a unit, e.g. `300 ms`"; the caller adds the place. Zero needs no unit. A
/// share is written with % or as 0..1; 75 without % is rejected.
tl::expected<double, std::string> ConvertLiteral(const Literal& literal, Unit unit);

/// An example of a limit on `unit`, for help texts: "300 ms", "75%", "512 MiB", "12".
std::string_view ExampleLiteral(Unit unit);

}  // namespace profgauge
