// Numbers that no whole number of the wanted size can hold.
#include "base/whole.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace profgauge {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Whole, NarrowKeepsWhatFits) {
  EXPECT_EQ(Narrow(0x7fff'ffff, -1), 0x7fff'ffff);
  EXPECT_EQ(Narrow(-0x8000'0000LL, 0), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(Narrow(std::int64_t{1} << 32, -1), -1) << "not GPU 0";
  EXPECT_EQ(Narrow(std::numeric_limits<std::int64_t>::min(), 7), 7);
}

TEST(Whole, RealNumbersAreCutOrRounded) {
  EXPECT_EQ(WithoutFraction(-2.9, 0), -2);
  EXPECT_EQ(Nearest(-2.9), -3);
  for (const double value : {kNaN, kInfinity, -kInfinity, 1e300, 9.3e18}) {
    EXPECT_EQ(WithoutFraction(value, -1), -1) << value;
    EXPECT_EQ(Nearest(value), std::nullopt) << value;
  }
}

TEST(Whole, ValuesKeepAllTheirDigits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(AsWhole(Value(kMost), 0), kMost) << "by way of a double it would overflow";
  EXPECT_EQ(AsWhole(Value(3.7), 0), 3);
  EXPECT_EQ(AsWhole(Value(true), 0), 1);
  EXPECT_EQ(AsWhole(Value(1e300), -1), -1);
  EXPECT_EQ(AsWhole(Value(std::string("7")), -1), -1);
  EXPECT_EQ(AsWhole(Value(), -1), -1);
}

}  // namespace
}  // namespace profgauge
