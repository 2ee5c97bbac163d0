#include "base/literal.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "base/text.h"

namespace profgauge {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t DigitsAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return end - at;
}

std::string UnitList() {
  std::string list;
  for (const UnitSuffix& suffix : UnitSuffixes()) {
    if (suffix.text == "\u00b5s") continue;  // An alias of "us".
    if (!list.empty()) list += ' ';
    list += suffix.text;
  }
  return list;
}

std::string NotANumber(std::string_view text) {
  const std::string shown = PrintableShort(text, 40);
  const std::string base =
      fmt::format("expected a number with an optional unit, found `{}`", shown);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.starts_with('0') && digits.size() > 1 && IsDigit(digits[1])) {
    return base + "; leading zeros are not allowed, since some readers take them for octal";
  }
  if (digits.starts_with('.') || digits.starts_with('+')) {
    return base + "; a number starts with a digit or `-`";
  }
  if (!digits.empty() && IsDigit(digits[0]) && digits.find('_') != std::string_view::npos) {
    return base + "; digits are not grouped";
  }
  return base;
}

/// "a time", "a share": the name of `unit` in messages.
std::string_view NounOf(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return "a text";
    case Unit::kBool:
      return "true or false";
    case Unit::kCount:
      return "a count";
    case Unit::kNumber:
      return "a number";
    case Unit::kTime:
      return "a time";
    case Unit::kShare:
      return "a share";
    case Unit::kBytes:
      return "a size";
    case Unit::kBandwidth:
      return "a bandwidth";
    case Unit::kFlops:
      return "a number of operations";
    case Unit::kFlopRate:
      return "a rate of operations";
  }
  return "a number";
}

}  // namespace

// The length is 7 for "12.5e-3ms", 1 for "1e", and 0 for "007", ".5" and "5.".
std::size_t NumberLength(std::string_view text) {
  std::size_t end = DigitsAt(text, 0);
  if (end == 0 || (end > 1 && text[0] == '0')) return 0;
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction = DigitsAt(text, end + 1);
    if (fraction == 0) return 0;
    end += 1 + fraction;
  }
  // "1e" without digits is the number 1 with the unit "e", which ParseLiteral() rejects.
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const bool has_sign = end + 1 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+');
    const std::size_t digits = DigitsAt(text, end + (has_sign ? 2 : 1));
    if (digits > 0) end += (has_sign ? 2 : 1) + digits;
  }
  return end;
}

double ScaledNumber(std::string_view text, const UnitSuffix* suffix) {
  // long double, so that 0.07 s is exactly 70 000 000 ns.
  long double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (suffix == nullptr) {
    double plain = 0;
    std::from_chars(text.data(), text.data() + text.size(), plain);
    return plain;
  }
  if (suffix->unit == Unit::kShare) return static_cast<double>(number / 100);
  return static_cast<double>(number * static_cast<long double>(suffix->factor));
}

tl::expected<Literal, std::string> ParseLiteral(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative ? text.substr(1) : text;
  const std::size_t length = NumberLength(digits);
  if (length == 0) return tl::unexpected(NotANumber(text));
  const std::string_view unit_text = Trim(digits.substr(length));
  Literal literal;
  const UnitSuffix* suffix = nullptr;
  if (!unit_text.empty()) {
    if (unit_text[0] == '_' || unit_text[0] == '.' || IsDigit(unit_text[0])) {
      return tl::unexpected(NotANumber(text));
    }
    suffix = FindUnitSuffix(unit_text);
    if (suffix == nullptr) {
      return tl::unexpected(fmt::format("unknown unit `{}`; units are {}",
                                        PrintableShort(unit_text, 20), UnitList()));
    }
    literal.unit = suffix->unit;
  }
  const double value = ScaledNumber(digits.substr(0, length), suffix);
  // from_chars returns 0 if the number does not fit.
  const bool has_nonzero =
      digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") !=
      std::string_view::npos;
  if (value > 1e300 || (value == 0 && has_nonzero)) {
    return tl::unexpected(fmt::format("the number `{}` is out of range",
                                      PrintableShort(digits.substr(0, length), 40)));
  }
  literal.value = negative ? -value : value;
  return literal;
}

//   wanted    literal    result (value or error)
//   time      300 ms     the literal's value
//   time      0          0
//   time      300        "a time needs a unit"
//   time      75%        "expected a time"
//   share     75%        the literal's value
//   share     0.75       0.75
//   share     75         "did you mean `75%`?"
//   number    75%        the share as a number
//   count     12         12
tl::expected<double, std::string> ConvertLiteral(const Literal& literal, Unit unit) {
  const auto mismatch = [&] {
    return tl::unexpected(fmt::format("expected {} such as `{}`, found {}", NounOf(unit),
                                      ExampleLiteral(unit), NounOf(literal.unit)));
  };
  if (unit == Unit::kText || unit == Unit::kBool) {
    return tl::unexpected(fmt::format("{} cannot have a limit", NounOf(unit)));
  }
  if (literal.unit == unit || literal.value == 0) {
    if (literal.unit == unit || literal.unit == Unit::kNumber) return literal.value;
    return mismatch();
  }
  if (literal.unit == Unit::kShare) {
    if (unit == Unit::kNumber) return literal.value;
    return mismatch();
  }
  if (literal.unit != Unit::kNumber) return mismatch();
  switch (unit) {
    case Unit::kNumber:
    case Unit::kCount:
    case Unit::kFlops:
      return literal.value;
    case Unit::kShare:
      if (literal.value >= -1 && literal.value <= 1) return literal.value;
      return tl::unexpected(fmt::format(
          "a share is written in percent or as 0 to 1; did you mean `{}%`?", literal.value));
    default:
      return tl::unexpected(
          fmt::format("{} needs a unit, e.g. `{}`", NounOf(unit), ExampleLiteral(unit)));
  }
}

std::string_view ExampleLiteral(Unit unit) {
  switch (unit) {
    case Unit::kTime:
      return "300 ms";
    case Unit::kShare:
      return "75%";
    case Unit::kBytes:
      return "512 MiB";
    case Unit::kBandwidth:
      return "10 GB/s";
    case Unit::kFlopRate:
      return "50 TFLOP/s";
    case Unit::kNumber:
      return "1.5";
    default:
      return "12";
  }
}

}  // namespace profgauge
