#include "analysis/breakdown/warmup.h"

#include <gtest/gtest.h>

#include <vector>

namespace profgauge::analysis::stats {
namespace {

using Times = std::vector<double>;

TEST(FindWarmup, CutsTheSlowFrontOnly) {
  EXPECT_EQ(breakdown::FindWarmup(Times{300, 200, 100, 101, 99, 100, 102, 100, 101}), 2u);
  // A stall in the middle is none.
  EXPECT_EQ(breakdown::FindWarmup(Times{100, 101, 100, 300, 100, 101, 100, 100, 101}), 0u);
  // Nor is a fast front.
  EXPECT_EQ(breakdown::FindWarmup(Times{50, 60, 100, 101, 99, 100, 102, 100, 101}), 0u);
}

TEST(FindWarmup, CutsAtMostHalf) {
  EXPECT_EQ(breakdown::FindWarmup(Times{300, 300, 300, 300, 300, 300, 100, 101, 100, 100, 101, 99}),
            6u);
  EXPECT_EQ(breakdown::FindWarmup(Times{300, 300, 300, 300, 300, 100, 101, 100, 100}), 4u);
}

TEST(FindWarmup, SeesWarmUpAcrossIterations) {
  // Eight iterations 1.5 spreads slower than the twelve after them.
  EXPECT_EQ(breakdown::FindWarmup(Times{105, 103, 104, 102, 105, 103, 102, 104, 100, 101,
                                        98,  99,  101, 100, 98,  102, 99,  100, 101, 98}),
            8u);
}

// A stall in the middle is no start, nor is a run that becomes slower.
TEST(FindWarmup, IsSlowThroughoutAndDecays) {
  EXPECT_EQ(
      breakdown::FindWarmup(Times{101, 100, 101, 100, 102, 400, 100, 101, 100, 99, 100, 101, 100}),
      0u);
  EXPECT_EQ(breakdown::FindWarmup(Times{110, 120, 130, 140, 150, 100, 101, 99, 100, 101, 100}), 0u);
  EXPECT_EQ(breakdown::FindWarmup(Times{300, 250, 200, 150, 130, 100, 101, 99, 100, 101, 100}), 5u);
}

// Two first iterations 1.6 times as long, the second by chance a little more: both are the start.
TEST(FindWarmup, IsFlatBesideItsExcess) {
  EXPECT_EQ(breakdown::FindWarmup(Times{159, 161, 100, 101, 99, 100, 101, 100, 99, 100}), 2u);
  EXPECT_EQ(breakdown::FindWarmup(Times{158, 159, 162, 100, 101, 99, 100, 101, 100, 99}), 3u);
  EXPECT_EQ(breakdown::FindWarmup(Times{110, 161, 100, 101, 99, 100, 101, 100, 99, 100}), 1u);
}

TEST(FindWarmup, NeedsFourIterationsAndTimes) {
  EXPECT_EQ(breakdown::FindWarmup(Times{300, 100, 100}), 0u);
  EXPECT_EQ(breakdown::FindWarmup(Times{}), 0u);
  EXPECT_EQ(breakdown::FindWarmup(Times{300, 200, 0, 100, 100, 100}), 0u);
  EXPECT_EQ(breakdown::FindWarmup(Times(50, 7.0)), 0u);
}

}  // namespace
}  // namespace profgauge::analysis::stats
