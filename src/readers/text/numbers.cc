#include "readers/text/numbers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.h"

namespace profgauge::readers {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// The parts of a JSON number.
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

/// Splits a number: "-12.50e-3" is negative, with the digits 12 and 50 and the exponent -3. Not
/// numbers: "12.", ".5", "+1", "1e". An exponent outside ±100 000 becomes that limit.
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

/// Returns |number| * 10^shift, rounded half up; empty if it exceeds `limit`.
///
///   "1.2345e1", shift 3      digits 12345, point 1 + 1 + 3 = 5: 12345
///   "0.0005",   shift 3      digits 00005, point 1 + 3 = 4: 0000|5, rounded up to 1
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
  if (point >= 0 && point < digits && digit(point) >= '5') {
    if (value == limit) return std::nullopt;
    ++value;
  }
  return value;
}

constexpr std::size_t kWordDigits = 8, kMostDigits = 16;
constexpr std::uint64_t kZeros = 0x3030'3030'3030'3030;

std::uint64_t WordAt(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

/// True if eight bytes are digits: the upper half of 0x30 to 0x39 is 3, and is 3 if 6 is added.
bool AreDigits(std::uint64_t word) {
  constexpr std::uint64_t kHigh = 0xf0f0'f0f0'f0f0'f0f0, kSix = 0x0606'0606'0606'0606;
  return ((word & kHigh) | ((word + kSix) & kHigh) >> 4) == 0x3333'3333'3333'3333;
}

/// The value of eight digits, combined to pairs, then to fours, then to all:
///
///   "12345678"   bytes 1 2 3 4 5 6 7 8, the first the lowest
///   * 10 + >> 8  every other byte: 12 34 56 78
///   then         12 * 10^6 + 56 * 100 and 34 * 10^4 + 78, added in the upper half
std::uint64_t ValueOf(std::uint64_t word) {
  constexpr std::uint64_t kFours = 0x0000'00ff'0000'00ff;
  word -= kZeros;
  word = word * 10 + (word >> 8);
  return ((word & kFours) * (100 + (std::uint64_t{1'000'000} << 32)) +
          (word >> 16 & kFours) * (1 + (std::uint64_t{10'000} << 32))) >>
         32;
}

/// The number in `text` if it consists of 1 to kMostDigits digits. Reads eight digits at a time,
/// because times and addresses are long.
[[gnu::always_inline]] inline std::optional<std::uint64_t> PlainNumber(std::string_view text) {
  constexpr std::uint64_t kPowers[] = {1,       10,        100,        1'000,      10'000,
                                       100'000, 1'000'000, 10'000'000, 100'000'000};
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::uint64_t value = 0;
  if (std::endian::native == std::endian::little && text.size() >= kWordDigits) {
    const std::uint64_t first = WordAt(text.data());
    const std::uint64_t last = WordAt(text.data() + text.size() - kWordDigits);
    if (!AreDigits(first) || !AreDigits(last)) return std::nullopt;
    const std::size_t rest = text.size() - kWordDigits;
    if (rest == 0) return ValueOf(first);
    const std::uint64_t known = (std::uint64_t{1} << 8 * (kWordDigits - rest)) - 1;
    return ValueOf(first) * kPowers[rest] + ValueOf((last & ~known) | (kZeros & known));
  }
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

/// Parses the usual form of times: at most 16 digits, with at most three after the point. Empty for
/// other forms. Needs no overflow checks, because 19 digits fit in 64 bits.
std::optional<Ns> PlainMicroseconds(std::string_view text, Fraction fraction, Ns limit) {
  constexpr std::size_t kBehindPoint = 3;
  std::size_t behind = 0;
  for (std::size_t i = std::min(kBehindPoint, text.size() - 1); i > 0 && behind == 0; --i) {
    if (text[text.size() - 1 - i] == '.') behind = i;
  }
  const auto whole = PlainNumber(text.substr(0, text.size() - behind - (behind > 0 ? 1 : 0)));
  if (!whole) return std::nullopt;
  std::uint64_t nanoseconds = 0;
  for (const char c : text.substr(text.size() - behind)) {
    if (!IsDigit(c)) return std::nullopt;
    nanoseconds = nanoseconds * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (fraction == Fraction::kDecimal) {
    for (std::size_t i = behind; i < kBehindPoint; ++i) nanoseconds *= 10;
  }
  const std::uint64_t value = *whole * 1000 + nanoseconds;
  if (value > static_cast<std::uint64_t>(limit)) return std::nullopt;
  return static_cast<Ns>(value);
}

}  // namespace

std::optional<Ns> ParseMicroseconds(std::string_view text, Fraction fraction, Ns limit) {
  if (text.empty()) return std::nullopt;
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

// Converts any number to an integer:
//   42                     read from the digits
//   18446744073709551615   as an unsigned number: -1
//   7.0, 7e0, 1.5          rounded: 7, 7, 2
std::optional<std::int64_t> ParseInteger(std::string_view text) {
  if (const auto plain = PlainNumber(text)) return static_cast<std::int64_t>(*plain);
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

void ReadTriple(std::string_view text, std::int32_t (&out)[3]) {
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size() && next < 3;) {
    std::int32_t value = 0;
    const auto [end, failed] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (failed == std::errc::result_out_of_range) return;
    if (failed == std::errc{}) {
      out[next++] = value;
      at = static_cast<std::size_t>(end - text.data());
    } else {
      ++at;
    }
  }
}

// Needs short fractions and a last 0: a shortest double may be short, but never ends in 0.
Fraction DetectFraction(std::string_view chunk) {
  constexpr std::string_view kKey = "\"ts\"";
  bool shorter = false;
  bool ends_in_zero = false;
  for (auto at = FindPart(chunk, kKey); at != chunk.npos; at = FindPart(chunk, kKey, at)) {
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
