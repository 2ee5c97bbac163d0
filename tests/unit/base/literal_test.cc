#include "base/literal.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace profgauge {
namespace {

TEST(Literal, Accepted) {
  struct Row {
    std::string_view text;
    double value;
    Unit unit;
  };
  const Row kRows[] = {
      {"0", 0, Unit::kNumber},
      {"12", 12, Unit::kNumber},
      {"-2.5", -2.5, Unit::kNumber},
      {"1e3", 1000, Unit::kNumber},
      {"2.5E-1", 0.25, Unit::kNumber},
      {"300 ms", 300e6, Unit::kTime},
      {"300ms", 300e6, Unit::kTime},
      {"0.07 s", 70e6, Unit::kTime},  // 0.07 * 1e9 in double is 70000000.00000001.
      {"20 us", 20e3, Unit::kTime},
      {"20 µs", 20e3, Unit::kTime},
      {"7%", 0.07, Unit::kShare},
      {"-5 %", -0.05, Unit::kShare},
      {"512 MiB", 512.0 * 1024 * 1024, Unit::kBytes},
      {"1.5 GB", 1.5e9, Unit::kBytes},
      {"10 GB/s", 10e9, Unit::kBandwidth},
      {"50 TFLOP/s", 50e12, Unit::kFlopRate},
  };
  for (const Row& row : kRows) {
    const auto literal = ParseLiteral(row.text);
    ASSERT_TRUE(literal) << row.text << ": " << literal.error();
    EXPECT_EQ(literal->value, row.value) << row.text;
    EXPECT_EQ(literal->unit, row.unit) << row.text;
  }
}

TEST(Literal, Refused) {
  struct Row {
    std::string_view text, error;
  };
  const Row kRows[] = {
      {"", "expected a number with an optional unit, found ``"},
      {"fast", "expected a number with an optional unit, found `fast`"},
      {"inf", "expected a number with an optional unit, found `inf`"},
      {"no", "expected a number with an optional unit, found `no`"},
      {"0x10", "unknown unit `x10`; units are ns us ms s % B KB MB GB KiB MiB GiB GB/s TFLOP/s"},
      {"010",
       "expected a number with an optional unit, found `010`; leading zeros are not allowed, since "
       "some readers take them for octal"},
      {"1_000", "expected a number with an optional unit, found `1_000`; digits are not grouped"},
      {".5",
       "expected a number with an optional unit, found `.5`; a number starts with a digit or `-`"},
      {"+5",
       "expected a number with an optional unit, found `+5`; a number starts with a digit or `-`"},
      {"5.", "expected a number with an optional unit, found `5.`"},
      {"1.2.3", "expected a number with an optional unit, found `1.2.3`"},
      {"5 5", "expected a number with an optional unit, found `5 5`"},
      {"5 mss", "unknown unit `mss`; units are ns us ms s % B KB MB GB KiB MiB GiB GB/s TFLOP/s"},
      {"1e999", "the number `1e999` is out of range"},
      {"1e-999", "the number `1e-999` is out of range"},
  };
  for (const Row& row : kRows) {
    const auto literal = ParseLiteral(row.text);
    ASSERT_FALSE(literal) << row.text;
    EXPECT_EQ(literal.error(), row.error);
  }
}

TEST(Literal, ConvertsToTheUnitOfAMetric) {
  struct Row {
    std::string_view text;
    Unit unit;
    std::string_view result;  ///< A number, or the error.
  };
  const Row kRows[] = {
      {"75%", Unit::kShare, "0.75"},
      {"0.75", Unit::kShare, "0.75"},
      {"75", Unit::kShare, "a share is written in percent or as 0 to 1; did you mean `75%`?"},
      {"300 ms", Unit::kShare, "expected a share such as `75%`, found a time"},
      {"0 ms", Unit::kShare, "expected a share such as `75%`, found a time"},
      {"300 ms", Unit::kTime, "300000000.0"},
      {"300", Unit::kTime, "a time needs a unit, e.g. `300 ms`"},
      {"0", Unit::kTime, "0.0"},
      {"5%", Unit::kTime, "expected a time such as `300 ms`, found a share"},
      {"5", Unit::kCount, "5.0"},
      {"5%", Unit::kCount, "expected a count such as `12`, found a share"},
      {"50%", Unit::kNumber, "0.5"},
      {"5", Unit::kBytes, "a size needs a unit, e.g. `512 MiB`"},
      {"5", Unit::kText, "a text cannot have a limit"},
  };
  for (const Row& row : kRows) {
    const auto value = ConvertLiteral(*ParseLiteral(row.text), row.unit);
    EXPECT_EQ(value ? testing::PrintToString(*value) : value.error(),
              value ? testing::PrintToString(std::stod(std::string(row.result))) : row.result)
        << row.text;
  }
}

TEST(SourceText, FindsThePlaceInTheFile) {
  // "a > 1 and b" folded from "a > 1\n    and b": the second line starts at offset 6.
  const SourceText text{"a > 1 and b", "p.yaml", {{0, 3, 10}, {6, 4, 5}}};
  struct Row {
    std::size_t offset, length;
    std::uint32_t line, column, marked;
  };
  const Row kRows[] = {
      {0, 1, 3, 10, 1}, {4, 1, 3, 14, 1},
      {6, 3, 4, 5, 3},  {0, 11, 3, 10, 6},  // Underlines stop where the line does.
      {10, 1, 4, 9, 1}, {99, 5, 4, 10, 0},
  };
  for (const Row& row : kRows) {
    const Where where = text.At(row.offset, row.length);
    EXPECT_EQ(where.file, "p.yaml");
    EXPECT_EQ(where.line, row.line) << row.offset;
    EXPECT_EQ(where.column, row.column) << row.offset;
    EXPECT_EQ(where.length, row.marked) << row.offset;
  }
  EXPECT_EQ((SourceText{"x", "f", {}}.At(0).line), 0U);
}

}  // namespace
}  // namespace profgauge
