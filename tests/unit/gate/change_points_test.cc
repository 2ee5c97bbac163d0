#include "gate/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace profgauge::gate::stats {
namespace {

// Levels of equal length with a small, repeatable wobble.
std::vector<double> Levels(const std::vector<double>& levels, int each) {
  std::vector<double> values;
  for (const double level : levels) {
    for (int i = 0; i < each; ++i) values.push_back(level * (1 + 0.002 * ((i * 7 % 5) - 2)));
  }
  return values;
}

TEST(FindChangePoints, FindsEachStepAndItsSize) {
  const auto points = FindChangePoints(Levels({100, 110, 104}, 12), {});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].index, 12u);
  EXPECT_NEAR(points[0].change, 0.10, 0.002);
  EXPECT_EQ(points[1].index, 24u);
  EXPECT_NEAR(points[1].change, -0.0545, 0.002);
}

// One split of a bump leaves both levels on one side, where no change is significant.
TEST(FindChangePoints, FindsALevelThatWasUndone) {
  for (const double bump : {106.0, 113.0}) {
    std::vector<double> values = Levels({100}, 10);
    for (const double value : Levels({bump, 100}, 8)) values.push_back(value);
    const auto points = FindChangePoints(values, {});
    ASSERT_EQ(points.size(), 2u) << bump;
    EXPECT_EQ(points[0].index, 10u);
    EXPECT_EQ(points[1].index, 18u);
    EXPECT_NEAR(points[0].change, bump / 100 - 1, 0.002);
  }
}

TEST(FindChangePoints, ALevelHistoryHasNone) {
  EXPECT_TRUE(FindChangePoints(Levels({100}, 60), {}).empty());
  EXPECT_TRUE(FindChangePoints(std::vector<double>(60, 5.0), {}).empty());
}

// Each run is a little slower than the one before: no commit made a step.
TEST(FindChangePoints, ASlopeHasNone) {
  for (const double growth : {0.01, 0.02, -0.02}) {
    std::vector<double> values = Levels({100}, 12);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] *= std::pow(1 + growth, static_cast<double>(i));
    }
    EXPECT_TRUE(FindChangePoints(values, {}).empty()) << growth;
  }
  EXPECT_EQ(FindChangePoints(Levels({100, 106}, 6), {}).size(), 1u) << "a step among as many";
}

// The rise begins after some level runs, or ends in a new level.
TEST(FindChangePoints, ARampBesideALevelHasNone) {
  std::vector<double> late = Levels({100}, 20), early = late;
  for (std::size_t i = 0; i < late.size(); ++i) {
    late[i] *= std::pow(1.02, i < 8 ? 0 : static_cast<double>(i - 7));
    early[i] *= std::pow(1.02, static_cast<double>(std::min<std::size_t>(i, 9)));
  }
  EXPECT_TRUE(FindChangePoints(late, {}).empty());
  EXPECT_TRUE(FindChangePoints(early, {}).empty());
  // A step beside a ramp stays one.
  for (double& value : late) value *= &value < &late[8] ? 0.8 : 1;
  EXPECT_EQ(FindChangePoints(late, {}).size(), 1u);
}

TEST(FindChangePoints, IgnoresStepsBelowMinimum) {
  ChangePointOptions options;
  options.min_magnitude = 0.05;
  EXPECT_TRUE(FindChangePoints(Levels({100, 103}, 20), options).empty());
}

TEST(FindChangePoints, OneOutlierIsNotALevel) {
  auto values = Levels({100}, 30);
  values[15] = 150;
  EXPECT_TRUE(FindChangePoints(values, {}).empty());
}

TEST(FindChangePoints, TooFewValuesHaveNone) {
  EXPECT_TRUE(FindChangePoints(std::vector<double>{1, 1, 9, 9, 9}, {}).empty());
}

}  // namespace
}  // namespace profgauge::gate::stats
