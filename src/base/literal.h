// Numbers with units as people write them: "300 ms", "75%", "1.5 GiB", "-2", "1e3".
//
// Strict on purpose: forms that other readers silently take for other numbers ("010", "1_000",
// "0x10", ".5", "inf") is an error that says how to write it. The expression language, policies and
// rule tests all read numbers here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/units.h"

namespace profgauge {

/// A number in the base unit of `unit`. Without a suffix the unit is kNumber.
struct Literal {
  double value = 0;
  Unit unit = Unit::kNumber;
};

/// Length in bytes of the number at the start of `text`, without sign or unit: digits, an optional
/// fraction and an optional exponent. 0 when there is none, or it is written in a way that is not
/// accepted ("010"); then the message of ParseLiteral says why.
/// "12 ms" has 2, "1.5e3x" has 5, "1." and "010" have 0.
std::size_t NumberLength(std::string_view text);

/// The number of `text` times the factor of `suffix` (nullptr: none): a long double,
/// rounded to the nearest double. REQUIRES: NumberLength(text) == text.size().
double ScaledNumber(std::string_view text, const UnitSuffix* suffix);

/// Reads all of `text`: an optional "-", a number, an optional blank, an optional unit. The error
/// is a clause for a message, "expected a number with an optional unit, found `fast`", perhaps with
/// advice after a semicolon.
tl::expected<Literal, std::string> ParseLiteral(std::string_view text);

/// The literal as a value of `unit`, or a clause that says why it is none: "a time needs a unit,
/// e.g. `300 ms`". Zero needs no unit. A share is written with % or as 0..1; 75 without % is
/// refused.
/// Errors name the expected form with an example; the caller adds the place.
tl::expected<double, std::string> ConvertLiteral(const Literal& literal, Unit unit);

/// An example of a limit on `unit`, for help texts: "300 ms", "75%", "512 MiB", "12".
std::string_view ExampleLiteral(Unit unit);

}  // namespace profgauge
