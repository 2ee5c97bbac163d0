#include "gate/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace profgauge::gate::stats {
namespace {

using ::testing::ElementsAre;

using Series = std::vector<double>;

TEST(Median, IsMiddleOrMeanOfTwo) {
  EXPECT_EQ(Median(Series{3, 1, 2}), 2);
  EXPECT_EQ(Median(Series{4, 1, 2, 3}), 2.5);
}

TEST(Variance, IsOfASample) {
  EXPECT_EQ(Variance(Series{}), 0);
  EXPECT_EQ(Variance(Series{5}), 0);
  EXPECT_DOUBLE_EQ(Variance(Series{1, 2, 3, 4}), 5.0 / 3);
}

// R's qt(); degrees count as 1 at least.
TEST(StudentQuantile, IsThatOfTheDistribution) {
  EXPECT_NEAR(StudentQuantile(0.975, 1), 12.7062047, 1e-6);
  EXPECT_NEAR(StudentQuantile(0.975, 0.5), 12.7062047, 1e-6);
  EXPECT_NEAR(StudentQuantile(0.99, 7.5), 2.9414, 5e-3);
}

TEST(RobustSigma, IgnoresAnOutlier) {
  EXPECT_DOUBLE_EQ(RobustSigma(Series{1, 2, 3, 4, 1000}), 1.4826);
}

// All differences, sorted, against KthDifference of each k.
void ExpectSortedDifferences(const Series& base, const Series& current) {
  Series all;
  for (const double b : base) {
    for (const double c : current) all.push_back(c - b);
  }
  std::sort(all.begin(), all.end());
  for (std::size_t k = 1; k <= all.size(); ++k) {
    EXPECT_EQ(KthDifference(base, current, k), all[k - 1]) << "k = " << k;
  }
}

TEST(KthDifference, EqualsSortedDifferences) {
  ExpectSortedDifferences({1, 2, 4, 8.5}, {0.25, 3, 3, 10, 11});
}

TEST(KthDifference, EqualsSortedDifferencesOfLongAndOfTiedSeries) {
  Series base, current, ties;
  for (int i = 0; i < 40; ++i) base.push_back(std::sqrt(i));
  for (int i = 0; i < 60; ++i) current.push_back(std::log1p(i) * 3);
  for (int i = 0; i < 50; ++i) ties.push_back(i / 20);
  ExpectSortedDifferences(base, current);
  ExpectSortedDifferences(base, ties);
  ExpectSortedDifferences(ties, ties);
}

TEST(EstimateShift, UsesExactDistributionForFewValues) {
  // n = m = 5: P(U <= 4) = 12/252 is the last below 5 %, so the interval is [D5, D21].
  const Series base = {1, 2, 3, 4, 5};
  const Series current = {11, 12, 13.5, 14, 15};
  const Shift shift = EstimateShift(base, current);
  EXPECT_EQ(shift.estimate, MedianDifference(base, current));
  const double width = KthDifference(base, current, 21) - KthDifference(base, current, 5);
  EXPECT_NEAR(shift.standard_error, width / (2 * 1.6686), 1e-3);
}

TEST(EstimateShift, OneValueASideHasNoError) {
  EXPECT_EQ(EstimateShift(Series{1}, Series{3}).standard_error, 0);
  EXPECT_EQ(EstimateShift(Series{1}, Series{3}).estimate, 2);
}

TEST(Autocorrelation, IsAssumedUntilTheSeriesShow) {
  EXPECT_EQ(Autocorrelation().Estimate(), 0.5);
  Autocorrelation waves, shuffled;
  Series wave, shuffle;
  for (int i = 0; i < 40; ++i) wave.push_back(100 + (i / 10 % 2 == 0 ? 1 : -1) + 0.01 * (i % 10));
  for (int i = 0; i < 40; ++i) shuffle.push_back(wave[static_cast<std::size_t>(i * 17 % 40)]);
  waves.Add(wave);
  shuffled.Add(shuffle);
  EXPECT_GT(waves.Estimate(), 0.7);
  EXPECT_LT(shuffled.Estimate(), 0.4);
}

TEST(Autocorrelation, EqualValuesHaveNone) {
  Autocorrelation equal;
  equal.Add(Series(100, 3.0));
  EXPECT_LT(equal.Estimate(), 0.1);
}

TEST(PValue, HandlesUntestableAndCertainCases) {
  EXPECT_EQ(PValue(Series{1}, Series{2, 3, 4}), -1);
  EXPECT_EQ(PValue(Series{1, 2, 3}, Series{1, 2, 3}), 1);
  EXPECT_EQ(PValue(Series{0, 0, 0}, Series{5, 5, 5}), 0);
  EXPECT_LT(PValue(Series{1, 2, 3, 2, 1, 2}, Series{101, 102, 103, 102, 101, 102}), 0.001);
}

TEST(PValue, FewValuesAreNotIndependent) {
  // A slow wave in six iterations a side: a test that assumes independence finds p = 0.02.
  const Series up = {10, 11, 12, 13, 14, 15}, down = {16, 15.5, 15, 14, 13, 12.5};
  EXPECT_GT(PValue(up, down), 0.1);
}

// Fisher's tea: 3 of 4 right and 1 of 4 by chance, 17 of 70; R's
// fisher.test(alternative="greater").
TEST(Fisher, OneSided) {
  EXPECT_NEAR(FisherPValue(3, 4, 1, 4), 17.0 / 70, 1e-12);
  EXPECT_NEAR(FisherPValue(4, 4, 0, 4), 1.0 / 70, 1e-12);
  EXPECT_NEAR(FisherPValue(10, 24, 0, 24), 0.0002992, 1e-6);
  EXPECT_EQ(FisherPValue(0, 4, 3, 4), 1);
  EXPECT_EQ(FisherPValue(2, 4, 4, 4), 1);
}

TEST(BenjaminiHochberg, KeepsAllUpToLastBelow) {
  // Lines at q = .1 and n = 4: .025 .05 .075 .1; the third is below its line, so all three count.
  EXPECT_THAT(BenjaminiHochberg(Series{0.5, 0.06, 0.001, 0.055}, 0.1),
              ElementsAre(false, true, true, true));
  EXPECT_THAT(BenjaminiHochberg(Series{0.5, 0.9}, 0.1), ElementsAre(false, false));
  // On its line is below it.
  EXPECT_THAT(BenjaminiHochberg(Series{0.5, 0.5}, 0.5), ElementsAre(true, true));
  EXPECT_THAT(BenjaminiHochberg(Series{0.25, 0.75}, 0.5), ElementsAre(true, false));
}

TEST(RoundToSum, LargestRemaindersTakeTheRest) {
  EXPECT_THAT(RoundToSum(Series{1.5, 1.25, 1.25}, 4), ElementsAre(2, 1, 1));
  EXPECT_THAT(RoundToSum(Series{-1.5, 0.75, 0.75}, 0), ElementsAre(-2, 1, 1));
  EXPECT_THAT(RoundToSum(Series{0.1, 0.1, 0.1}, 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(RoundToSum(Series{10.25, 1.75}, 12), ElementsAre(10, 2));
  EXPECT_THAT(RoundToSum(Series{1.5, 2.5}, 4), ElementsAre(2, 2));
}

TEST(RoundToSum, AlwaysMeetsTheTotal) {
  for (const std::int64_t total : {-7, -1, 0, 1, 2, 5, 100}) {
    const auto parts = RoundToSum(Series{0.4, -0.3, 2.2}, total);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), total);
  }
}

}  // namespace
}  // namespace profgauge::gate::stats
