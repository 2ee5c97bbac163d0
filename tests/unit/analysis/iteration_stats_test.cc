#include "analysis/breakdown/iteration_stats.h"

#include <gtest/gtest.h>

#include <vector>

namespace profgauge::analysis {
namespace {

TEST(IterationStats, MatchesKnownSeries) {
  const std::vector<double> values = {100, 110, 90, 105, 95, 400};
  const breakdown::SeriesStats stats = breakdown::Describe(values);
  EXPECT_DOUBLE_EQ(stats.mean, 150);
  EXPECT_DOUBLE_EQ(stats.median, 102.5);
  EXPECT_DOUBLE_EQ(stats.min, 90);
  EXPECT_DOUBLE_EQ(stats.max, 400);
  EXPECT_DOUBLE_EQ(stats.p95, 110 + 0.75 * 290);
  EXPECT_NEAR(stats.stddev.value(), 122.678, 0.001);
  EXPECT_NEAR(stats.cv.value(), 0.81785, 0.00001);
  // Deviations 2.5, 7.5, 12.5, 2.5, 7.5, 297.5: their median is 7.5.
  EXPECT_DOUBLE_EQ(stats.robust_cv.value(), 1.4826 * 7.5 / 102.5);
  EXPECT_EQ(stats.outliers, 1);
}

TEST(IterationStats, FewValuesKnowLess) {
  const breakdown::SeriesStats one = breakdown::Describe(std::vector<double>{5});
  EXPECT_EQ(one.median, 5);
  EXPECT_EQ(one.p95, 5);
  EXPECT_FALSE(one.stddev || one.cv || one.robust_cv || one.drift);
  const breakdown::SeriesStats two = breakdown::Describe(std::vector<double>{4, 6});
  EXPECT_TRUE(two.robust_cv.has_value());
  EXPECT_FALSE(two.drift.has_value());
  const breakdown::SeriesStats zeros = breakdown::Describe(std::vector<double>{0, 0, 0});
  EXPECT_FALSE(zeros.cv || zeros.robust_cv || zeros.drift);
}

TEST(IterationStats, DriftIgnoresOutliers) {
  std::vector<double> values;
  for (int i = 0; i < 21; ++i) values.push_back(1000 + 10 * i);
  values[5] = 90'000;
  EXPECT_NEAR(breakdown::Describe(values).drift.value(), 10.0 / 1100, 1e-4);
  std::vector<double> many;
  for (int i = 0; i < 5000; ++i) many.push_back(1000 + 0.5 * i);
  EXPECT_NEAR(breakdown::TheilSenSlope(many), 0.5, 1e-9);
}

TEST(IterationStats, SteadyRange) {
  const std::vector<double> warm = {500, 300, 101, 100, 99, 100, 102, 250};
  const auto range = breakdown::FindSteadyRange(warm);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->first, 2U);
  EXPECT_EQ(range->last, 7U);
  EXPECT_LT(range->cv, 0.05);
  EXPECT_FALSE(breakdown::FindSteadyRange(std::vector<double>{100, 101, 100, 99}));
  EXPECT_FALSE(breakdown::FindSteadyRange(std::vector<double>{100, 200, 100, 200, 100}));
  EXPECT_FALSE(breakdown::FindSteadyRange(std::vector<double>{100, 200}));
  // Iterations without a length are no choice.
  const std::vector<double> hidden = {100, 99, 100, 101, 100, 3000, 0, 0, 0, 0, 0, 0, 0, 0};
  const auto before = breakdown::FindSteadyRange(hidden);
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(before->last, 5U);
}

}  // namespace
}  // namespace profgauge::analysis
