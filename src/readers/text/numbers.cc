#include "readers/text/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace profgauge::readers {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// A JSON number taken apart.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;
};

std::string_view TakeDigits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  const auto digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Decimal> Split(std::string_view text) {
  Decimal number;
  number.negative = Take(text, '-');
  number.whole = TakeDigits(text);
  if (number.whole.empty()) return std::nullopt;
  if (Take(text, '.')) {
    number.fraction = TakeDigits(text);
    if (number.fraction.empty()) return std::nullopt;
  }
  if (Take(text, 'e') || Take(text, 'E')) {
    const bool minus = Take(text, '-');
    if (!minus) Take(text, '+');
    const auto digits = TakeDigits(text);
    if (digits.empty()) return std::nullopt;
    for (const char c : digits) {
      number.exponent = std::min<std::int64_t>(number.exponent * 10 + (c - '0'), 100'000);
    }
    if (minus) number.exponent = -number.exponent;
  }
  return text.empty() ? std::optional(number) : std::nullopt;
}

/// |number| * 10^shift, rounded half up; empty when beyond `limit`.
std::optional<std::int64_t> Scale(const Decimal& number, std::int64_t shift, std::int64_t limit) {
  const auto whole = static_cast<std::int64_t>(number.whole.size());
  const auto digits = whole + static_cast<std::int64_t>(number.fraction.size());
  const auto digit = [&](std::int64_t i) {
    return i < whole ? number.whole[static_cast<std::size_t>(i)]
                     : number.fraction[static_cast<std::size_t>(i - whole)];
  };
  const std::int64_t point = whole + number.exponent + shift;  // Digits left of the wanted unit.
  std::int64_t value = 0;
  for (std::int64_t i = 0; i < point; ++i) {
    if (i >= digits && value == 0) return 0;
    const std::int64_t next = i < digits ? digit(i) - '0' : 0;
    if (value > (limit - next) / 10) return std::nullopt;
    value = value * 10 + next;
  }
  if (point >= 0 && point < digits && digit(point) >= '5') ++value;
  return value;
}

/// Times as nearly all are: at most 16 digits, and at most three behind the point. Empty for
/// others. No digit needs a look at what has become of the number: 19 of them fit.
std::optional<Ns> PlainMicroseconds(std::string_view text, Fraction fraction, Ns limit) {
  constexpr std::size_t kMostDigits = 16, kBehindPoint = 3;
  std::uint64_t whole = 0, nanoseconds = 0;
  std::size_t at = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    whole = whole * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  if (at == 0 || at > kMostDigits) return std::nullopt;
  if (at < text.size()) {
    const std::size_t behind = text.size() - at - 1;
    if (text[at] != '.' || behind == 0 || behind > kBehindPoint) return std::nullopt;
    for (++at; at < text.size(); ++at) {
      if (!IsDigit(text[at])) return std::nullopt;
      nanoseconds = nanoseconds * 10 + static_cast<std::uint64_t>(text[at] - '0');
    }
    const std::size_t missing = fraction == Fraction::kUnpadded ? 0 : kBehindPoint - behind;
    for (std::size_t i = 0; i < missing; ++i) nanoseconds *= 10;
  }
  const std::uint64_t value = whole * 1000 + nanoseconds;
  if (value > static_cast<std::uint64_t>(limit)) return std::nullopt;
  return static_cast<Ns>(value);
}

}  // namespace

std::optional<Ns> ParseMicroseconds(std::string_view text, Fraction fraction, Ns limit) {
  if (const auto plain = PlainMicroseconds(text, fraction, limit)) return plain;
  auto number = Split(text);
  if (!number) return std::nullopt;
  char padded[3] = {'0', '0', '0'};
  const auto count = number->fraction.size();
  if (fraction == Fraction::kUnpadded && count >= 1 && count <= 2 && number->exponent == 0) {
    for (std::size_t i = 0; i < count; ++i) padded[3 - count + i] = number->fraction[i];
    number->fraction = std::string_view(padded, 3);
  }
  const auto value = Scale(*number, 3, limit);
  if (!value) return std::nullopt;
  return number->negative ? -*value : *value;
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  if (const auto [at, failed] = std::from_chars(text.data(), end, value);
      failed == std::errc{} && at == end) {
    return value;
  }
  std::uint64_t large = 0;
  if (const auto [at, failed] = std::from_chars(text.data(), end, large);
      failed == std::errc{} && at == end) {
    return static_cast<std::int64_t>(large);
  }
  const auto number = Split(text);
  if (!number) return std::nullopt;
  const auto scaled = Scale(*number, 0, std::numeric_limits<std::int64_t>::max());
  if (!scaled) return std::nullopt;
  return number->negative ? -*scaled : *scaled;
}

std::optional<double> ParseReal(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc{} || at != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

Fraction DetectFraction(std::string_view chunk) {
  constexpr std::string_view kKey = "\"ts\"";
  bool shorter = false;
  bool ends_in_zero = false;
  for (auto at = chunk.find(kKey); at != std::string_view::npos; at = chunk.find(kKey, at)) {
    at += kKey.size();
    auto rest = chunk.substr(at, 64);
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':')) rest.remove_prefix(1);
    const auto whole = TakeDigits(rest);
    if (whole.size() < 16 || !Take(rest, '.')) continue;
    const auto fraction = TakeDigits(rest);
    if (fraction.empty() || fraction.size() > 3 || rest.empty()) continue;
    if (fraction.size() < 3) shorter = true;
    if (fraction.size() > 1 && fraction.back() == '0') ends_in_zero = true;
  }
  return shorter && ends_in_zero ? Fraction::kUnpadded : Fraction::kDecimal;
}

}  // namespace profgauge::readers
