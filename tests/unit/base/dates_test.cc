// Which times are dates.
#include "base/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace profgauge {
namespace {

constexpr Ns kSecond = 1'000'000'000;

TEST(Dates, AreOf2010To2099) {
  EXPECT_FALSE(IsDate(1'262'303'999 * kSecond));  // 2009-12-31T23:59:59Z
  EXPECT_TRUE(IsDate(1'262'304'000 * kSecond));
  EXPECT_TRUE(IsDate(4'102'444'800 * kSecond - 1));
  EXPECT_FALSE(IsDate(4'102'444'800 * kSecond));  // 2100-01-01T00:00:00Z
}

TEST(Dates, ClocksFromABootHaveNone) {
  EXPECT_FALSE(IsDate(0));
  EXPECT_FALSE(IsDate(10 * 365 * 86'400 * kSecond));  // Up for ten years.
  EXPECT_FALSE(IsDate(std::numeric_limits<Ns>::min()));
  EXPECT_FALSE(IsDate(std::numeric_limits<Ns>::max()));
}

}  // namespace
}  // namespace profgauge
