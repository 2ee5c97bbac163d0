#include "base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>

namespace profgauge {
namespace {

constexpr std::string_view kAbsent = "\u2013";
/// Doubles above this are not exact integers and are not printed digit by digit.
constexpr double kLargestExact = 9007199254740992.0;

constexpr std::array<std::string_view, 4> kTimeUnits = {"ns", "\u00b5s", "ms", "s"};
constexpr std::array<std::string_view, 6> kByteUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
constexpr std::array<std::string_view, 6> kBandwidthUnits = {"B/s",  "kB/s", "MB/s",
                                                             "GB/s", "TB/s", "PB/s"};
constexpr std::array<std::string_view, 6> kFlopUnits = {"FLOP",  "kFLOP", "MFLOP",
                                                        "GFLOP", "TFLOP", "PFLOP"};
constexpr std::array<std::string_view, 6> kFlopRateUnits = {"FLOP/s",  "kFLOP/s", "MFLOP/s",
                                                            "GFLOP/s", "TFLOP/s", "PFLOP/s"};

/// Names of `unit` by powers of a thousand; empty for units without them.
std::span<const std::string_view> ScaleOf(Unit unit) {
  switch (unit) {
    case Unit::kTime:
      return kTimeUnits;
    case Unit::kBytes:
      return kByteUnits;
    case Unit::kBandwidth:
      return kBandwidthUnits;
    case Unit::kFlops:
      return kFlopUnits;
    case Unit::kFlopRate:
      return kFlopRateUnits;
    default:
      return {};
  }
}

std::string WithUnit(std::string_view digits, std::string_view unit) {
  return fmt::format("{}{}{}", digits, kNumberSpace, unit);
}

/// Groups the integer part of a decimal text ("-1234.5") by three digits, with a minus sign.
std::string Grouped(std::string_view decimal) {
  const std::size_t sign = decimal.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(decimal.find('.'), decimal.size());
  std::string out(sign > 0 ? "\u2212" : "");
  for (std::size_t i = sign; i < end; ++i) {
    if (i > sign && (end - i) % 3 == 0) out += kNumberSpace;
    out += decimal[i];
  }
  out += decimal.substr(end);
  return out;
}

/// Returns the decimal exponent of `value` after rounding to `digits` significant digits, so that
/// 999.6 counts as 1 000 at three digits. Uses the printed text, not log10(): 999.6 ns prints as
/// 1.00 µs, never as "1000 ns". REQUIRES: value is finite and not 0.
int RoundedExponent(double value, int digits) {
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

/// Prints three significant digits, in the unit with one to three digits before the point.
///
///   value   exponent  step  decimals  text
///   999     2         0     (whole)   999 ns
///   1234    3         1     2         1.23 µs
///   12345   4         1     1         12.3 µs
///   0.5     -1        0     3         0.500 ns
std::string Scaled(double value, std::span<const std::string_view> names) {
  if (!std::isfinite(value)) return std::string(kAbsent);
  if (value == 0) return WithUnit("0", names[0]);
  const int exponent = RoundedExponent(value, 3);
  const bool whole = std::abs(value) < 1000 && value == std::round(value);
  // Nanoseconds and bytes that are integers below a thousand get no decimals: they are counted.
  if (whole && exponent < 3) return WithUnit(Grouped(fmt::format("{:.0f}", value)), names[0]);
  const int last = static_cast<int>(names.size()) - 1;
  const int step = std::clamp(exponent >= 0 ? exponent / 3 : 0, 0, last);
  const int decimals = std::max(0, 2 - (exponent - 3 * step));
  const double scaled = value / std::pow(10.0, 3 * step);
  return WithUnit(Grouped(fmt::format("{:.{}f}", scaled, decimals)),
                  names[static_cast<std::size_t>(step)]);
}

/// The number without trailing zeros after the point: "60", "3.5".
std::string Shortest(double value) {
  std::string text = fmt::format("{:.6f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string FormatValue(const Value& value, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  if (IsAbsent(value)) return std::string(kAbsent);
  const double number = AsNumber(value, 0);
  if (!std::isfinite(number)) return std::string(kAbsent);
  if (unit == Unit::kShare) return FormatShare(number);
  if (unit == Unit::kBool) return number != 0 ? "yes" : "no";
  if (const auto scale = ScaleOf(unit); !scale.empty()) return Scaled(number, scale);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return FormatCount(*integer);
  return FormatNumber(number);
}

std::string FormatDuration(double ns) { return Scaled(ns, kTimeUnits); }

std::string FormatBytes(double bytes) { return Scaled(bytes, kByteUnits); }

std::string FormatShare(double share) {
  if (!std::isfinite(share)) return std::string(kAbsent);
  if (share == 0) return WithUnit("0", "%");
  const double percent = share * 100;
  const int exponent = RoundedExponent(percent, 2);
  const int decimals = exponent >= 0 ? 1 : 1 - exponent;
  return WithUnit(Grouped(fmt::format("{:.{}f}", percent, decimals)), "%");
}

std::string FormatCount(std::int64_t count) { return Grouped(fmt::format("{}", count)); }

std::string FormatNumber(double number) {
  if (!std::isfinite(number)) return std::string(kAbsent);
  if (number == 0) return "0";
  if (number == std::round(number) && std::abs(number) <= kLargestExact) {
    return Grouped(fmt::format("{:.0f}", number));
  }
  const int exponent = RoundedExponent(number, 3);
  if (exponent < -4 || std::abs(number) > kLargestExact) return fmt::format("{:.2e}", number);
  return Grouped(fmt::format("{:.{}f}", number, std::max(0, 2 - exponent)));
}

std::string FormatNumber(double number, int decimals) {
  if (!std::isfinite(number)) return std::string(kAbsent);
  return Grouped(fmt::format("{:.{}f}", number, decimals));
}

std::string FormatLimit(double limit, Unit unit) {
  if (!std::isfinite(limit)) return std::string(kAbsent);
  if (unit == Unit::kShare) return WithUnit(Grouped(Shortest(limit * 100)), "%");
  const auto scale = ScaleOf(unit);
  if (scale.empty()) return Grouped(Shortest(limit));
  std::size_t step = 0;
  double scaled = limit;
  while (std::abs(scaled) >= 1000 && step + 1 < scale.size()) {
    scaled /= 1000;
    ++step;
  }
  return WithUnit(Grouped(Shortest(scaled)), scale[step]);
}

std::string FormatExact(const Value& value, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (IsAbsent(value)) return std::string(kAbsent);
  std::string digits;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    digits = fmt::format("{}", *integer);
  } else {
    const double real = std::get<double>(value);
    if (!std::isfinite(real)) return std::string(kAbsent);
    // Integers in full, not as 1.5e+09; others with the fewest digits that read back as the same.
    const bool whole = real == std::round(real) && std::abs(real) < 1e21;
    digits = whole ? fmt::format("{:.0f}", real) : fmt::format("{}", real);
  }
  return ScaleOf(unit).empty() ? digits : fmt::format("{} {}", digits, UnitName(unit));
}

}  // namespace profgauge
