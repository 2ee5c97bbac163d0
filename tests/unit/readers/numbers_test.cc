// Exact numbers from digits.
#include "readers/text/numbers.h"

#include <gtest/gtest.h>

#include <string>

namespace profgauge::readers::kineto {
namespace {

struct Row {
  std::string_view text;
  std::optional<Ns> decimal;
};

TEST(KinetoNumbers, MicrosecondsToNanoseconds) {
  constexpr Row kRows[] = {
      {"0", 0},
      {"100", 100'000},
      {"-5", -5'000},
      {"1.5", 1'500},
      {"1.05", 1'050},
      {"1712195495519689", 1'712'195'495'519'689'000},
      {"1712195495519689.4", 1'712'195'495'519'689'400},
      {"9999999999999999.999", std::nullopt},
      {"00000000000000000001", 1'000},
      {"1.0x0", std::nullopt},
      {"1712195495519689.047", 1'712'195'495'519'689'047},
      {"1414456661603.6799", 1'414'456'661'603'680},
      {"0.0004", 0},
      {"0.0005", 1},
      {"1e3", 1'000'000},
      {"1.25E-2", 13},
      {"1712195495519689047e-3", 1'712'195'495'519'689'047},
      {"2305843009213693.951", 2'305'843'009'213'693'951},
      {"2305843009213693.953", std::nullopt},
      {"1e300", std::nullopt},
      {"0e999999999999", 0},
      {"1e-999999999999", 0},
      {"", std::nullopt},
      {"-", std::nullopt},
      {"1.", std::nullopt},
      {"1 ", std::nullopt},
      {"0x10", std::nullopt},
  };
  for (const auto& [text, expected] : kRows) {
    EXPECT_EQ(ParseMicroseconds(text, Fraction::kDecimal, kMaxTime), expected) << text;
  }
}

TEST(KinetoNumbers, UnpaddedFractionsAreNanoseconds) {
  constexpr Row kRows[] = {
      {"1.5", 1'005}, {"1.50", 1'050}, {"1.500", 1'500}, {"1", 1'000}, {"1.0", 1'000},
  };
  for (const auto& [text, expected] : kRows) {
    EXPECT_EQ(ParseMicroseconds(text, Fraction::kUnpadded, kMaxTime), expected) << text;
  }
}

TEST(KinetoNumbers, FractionsShowUnpaddedDialect) {
  const auto detect = [](std::string_view a, std::string_view b) {
    return DetectFraction("{\"ts\": " + std::string(a) +
                          ", \"dur\": 1}, {\"ts\":" + std::string(b) + "}");
  };
  // ".500" is not the shortest way to write it and ".5" not the padded one: nanoseconds.
  EXPECT_EQ(detect("1712195495519689.500", "1712195495519689.5"), Fraction::kUnpadded);
  EXPECT_EQ(detect("1712195495519689.500", "1712195495519689.005"), Fraction::kDecimal);
  EXPECT_EQ(detect("1712195495519689.25", "1712195495519689.5"), Fraction::kDecimal);
  EXPECT_EQ(detect("100.500", "100.5"), Fraction::kDecimal);
}

TEST(KinetoNumbers, Integers) {
  EXPECT_EQ(ParseInteger("7"), 7);
  EXPECT_EQ(ParseInteger("-7"), -7);
  EXPECT_EQ(ParseInteger("7.0"), 7);
  EXPECT_EQ(ParseInteger("7e2"), 700);
  EXPECT_EQ(ParseInteger("18446744073709551615"), -1);
  EXPECT_EQ(ParseInteger("1e99"), std::nullopt);
  EXPECT_EQ(ParseInteger("9223372036854775807.4"), INT64_MAX);
  EXPECT_EQ(ParseInteger("9223372036854775807.5"), std::nullopt);
  EXPECT_EQ(ParseInteger("stream 7"), std::nullopt);
  EXPECT_EQ(ParseReal("0.5"), 0.5);
  EXPECT_EQ(ParseReal("1e999"), std::nullopt);
}

// Digits are read eight at a time where there are as many: of every length and with any byte among
// them, the number is the same as read digit by digit.
TEST(KinetoNumbers, DigitsOfEveryLength) {
  const std::string digits = "9081726354987654321";
  for (std::size_t size = 1; size <= digits.size(); ++size) {
    const std::string text = digits.substr(0, size);
    std::int64_t value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    EXPECT_EQ(ParseInteger(text), value);
    EXPECT_EQ(ParseInteger("-" + text), -value);
    if (size > 15) continue;
    EXPECT_EQ(ParseMicroseconds(text, Fraction::kDecimal, kMaxTime), value * 1000);
    EXPECT_EQ(ParseMicroseconds(text + ".7", Fraction::kDecimal, kMaxTime), value * 1000 + 700);
    EXPECT_EQ(ParseMicroseconds(text + ".7", Fraction::kUnpadded, kMaxTime), value * 1000 + 7);
    EXPECT_EQ(ParseMicroseconds(text + ".07", Fraction::kDecimal, kMaxTime), value * 1000 + 70);
    EXPECT_EQ(ParseMicroseconds(text + ".007", Fraction::kUnpadded, kMaxTime), value * 1000 + 7);
    EXPECT_EQ(ParseMicroseconds(text + ".0074", Fraction::kDecimal, kMaxTime), value * 1000 + 7);
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        if (std::string_view("0123456789-.eE").find(c) != std::string_view::npos) continue;
        std::string other = text;
        other[at] = c;
        EXPECT_EQ(ParseInteger(other), std::nullopt) << other;
        EXPECT_EQ(ParseMicroseconds(other, Fraction::kDecimal, kMaxTime), std::nullopt) << other;
      }
    }
  }
  EXPECT_EQ(ParseMicroseconds("", Fraction::kDecimal, kMaxTime), std::nullopt);
  EXPECT_EQ(ParseMicroseconds(".", Fraction::kDecimal, kMaxTime), std::nullopt);
  EXPECT_EQ(ParseMicroseconds("1.", Fraction::kDecimal, kMaxTime), std::nullopt);
  EXPECT_EQ(ParseMicroseconds("1.2.3", Fraction::kDecimal, kMaxTime), std::nullopt);
}

}  // namespace
}  // namespace profgauge::readers::kineto
