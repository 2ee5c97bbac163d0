#include "base/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace profgauge {
namespace {

// U+202F is written as a plain space in the tables below.
std::string WithPlainSpaces(std::string text) {
  for (std::size_t at; (at = text.find(kNumberSpace)) != std::string::npos;) {
    text.replace(at, kNumberSpace.size(), " ");
  }
  return text;
}

struct FormattedValue {
  Value value;
  Unit unit;
  std::string_view text, exact;
};

TEST(Format, EveryUnit) {
  const FormattedValue kRows[] = {
      {{}, Unit::kTime, "–", "–"},
      {{}, Unit::kText, "–", "–"},
      {std::string("aten::mm"), Unit::kText, "aten::mm", "aten::mm"},
      {true, Unit::kBool, "yes", "true"},
      {std::int64_t{0}, Unit::kBool, "no", "0"},
      {std::int64_t{0}, Unit::kTime, "0 ns", "0 ns"},
      {std::int64_t{999}, Unit::kTime, "999 ns", "999 ns"},
      {0.5, Unit::kTime, "0.500 ns", "0.5 ns"},
      {std::int64_t{1230}, Unit::kTime, "1.23 µs", "1230 ns"},
      {std::int64_t{999'499}, Unit::kTime, "999 µs", "999499 ns"},
      // Rounding crosses into the next unit, never "1000 µs".
      {std::int64_t{999'500}, Unit::kTime, "1.00 ms", "999500 ns"},
      {std::int64_t{343'123'456}, Unit::kTime, "343 ms", "343123456 ns"},
      {std::int64_t{12'345'678'901}, Unit::kTime, "12.3 s", "12345678901 ns"},
      {std::int64_t{12'345'678'901'234}, Unit::kTime, "12 346 s", "12345678901234 ns"},
      {std::int64_t{-2'250'000}, Unit::kTime, "−2.25 ms", "-2250000 ns"},
      {0.0, Unit::kShare, "0 %", "0"},
      {0.00052, Unit::kShare, "0.052 %", "0.00052"},
      {0.0075, Unit::kShare, "0.75 %", "0.0075"},
      {0.00996, Unit::kShare, "1.0 %", "0.00996"},
      {0.3141592653589793, Unit::kShare, "31.4 %", "0.3141592653589793"},
      {1.0, Unit::kShare, "100.0 %", "1"},
      {-0.05, Unit::kShare, "−5.0 %", "-0.05"},
      {12.5, Unit::kShare, "1 250.0 %", "12.5"},
      {std::int64_t{12'345}, Unit::kCount, "12 345", "12345"},
      {std::int64_t{-1'234'567}, Unit::kCount, "−1 234 567", "-1234567"},
      {123.44, Unit::kCount, "123", "123.44"},
      {2.346, Unit::kNumber, "2.35", "2.346"},
      {1234.5, Unit::kNumber, "1 234", "1234.5"},
      {-0.0012345, Unit::kNumber, "−0.00123", "-0.0012345"},
      {0.000001234, Unit::kNumber, "1.23e-06", "1.234e-06"},
      {std::int64_t{512}, Unit::kBytes, "512 B", "512 bytes"},
      {std::int64_t{1'220'000'000}, Unit::kBytes, "1.22 GB", "1220000000 bytes"},
      {1.5e9, Unit::kBandwidth, "1.50 GB/s", "1500000000 bytes/s"},
      {3.12e14, Unit::kFlopRate, "312 TFLOP/s", "312000000000000 flop/s"},
      {2.0e18, Unit::kFlops, "2 000 PFLOP", "2000000000000000000 flop"},
      {std::numeric_limits<double>::quiet_NaN(), Unit::kShare, "–", "–"},
      {std::numeric_limits<double>::infinity(), Unit::kTime, "–", "–"},
      {std::numeric_limits<std::int64_t>::max(), Unit::kTime, "9 223 372 037 s",
       "9223372036854775807 ns"},
  };
  for (const FormattedValue& row : kRows) {
    EXPECT_EQ(WithPlainSpaces(FormatValue(row.value, row.unit)), row.text) << row.exact;
    EXPECT_EQ(FormatExact(row.value, row.unit), row.exact);
  }
}

TEST(Format, SpaceIsNarrowAndUnbreakable) {
  EXPECT_EQ(FormatDuration(343e6), "343\u202fms");
  EXPECT_EQ(FormatCount(12345), "12\u202f345");
  EXPECT_EQ(FormatBytes(0), "0\u202fB");
}

TEST(Format, LimitsAsWritten) {
  struct Limit {
    double value;
    Unit unit;
    std::string_view text;
  };
  const Limit kRows[] = {
      {0.6, Unit::kShare, "60 %"},     {0.035, Unit::kShare, "3.5 %"},
      {0.07, Unit::kShare, "7 %"},     {0, Unit::kShare, "0 %"},
      {300e6, Unit::kTime, "300 ms"},  {1.5e9, Unit::kBytes, "1.5 GB"},
      {20000, Unit::kCount, "20 000"}, {-2, Unit::kNumber, "−2"},
  };
  for (const Limit& row : kRows) {
    EXPECT_EQ(WithPlainSpaces(FormatLimit(row.value, row.unit)), row.text);
  }
}

TEST(Format, NumberWithDecimals) {
  EXPECT_EQ(WithPlainSpaces(FormatNumber(1234.5, 2)), "1 234.50");
  EXPECT_EQ(FormatNumber(0.25, 1), "0.2");
  EXPECT_EQ(FormatNumber(7, 0), "7");
  EXPECT_EQ(FormatNumber(std::nan(""), 3), "–");
}

}  // namespace
}  // namespace profgauge
