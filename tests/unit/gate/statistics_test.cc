#include "gate/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace profgauge::stats {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

using Series = std::vector<double>;
using Runs = std::vector<Series>;

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Median(Series{3, 1, 2}), 2);
  EXPECT_EQ(Median(Series{4, 1, 2, 3}), 2.5);
}

TEST(RobustSigma, IgnoresAnOutlier) {
  EXPECT_DOUBLE_EQ(RobustSigma(Series{1, 2, 3, 4, 1000}), 1.4826);
}

TEST(FindWarmup, DropsTheSlowFrontOnly) {
  EXPECT_EQ(FindWarmup(Series{300, 200, 100, 100, 101, 100, 100, 101, 100}).dropped, 2u);
  // One inlier between two slow ones is still warm-up.
  EXPECT_EQ(FindWarmup(Series{300, 100, 200, 100, 101, 100, 100, 101, 100}).dropped, 3u);
  // A hiccup in the middle is not.
  EXPECT_EQ(FindWarmup(Series{100, 101, 100, 300, 100, 101, 100, 100, 101}).dropped, 0u);
}

TEST(FindWarmup, NeverDropsMoreThanAThirdAndSaysSo) {
  const Warmup warmup = FindWarmup(Series{300, 300, 300, 300, 100, 101, 100, 100, 101});
  EXPECT_EQ(warmup.dropped, 3u);
  EXPECT_FALSE(warmup.steady);
}

TEST(KthDifference, EqualsTheSortedListOfAllPairs) {
  const Series base = {1, 2, 4, 8.5};
  const Series current = {0.25, 3, 3, 10, 11};
  Series all;
  for (const double b : base) {
    for (const double c : current) all.push_back(c - b);
  }
  std::sort(all.begin(), all.end());
  for (std::size_t k = 1; k <= all.size(); ++k) {
    EXPECT_EQ(KthDifference(base, current, k), all[k - 1]) << "k = " << k;
  }
}

TEST(EstimateShift, UsesTheExactDistributionForFewValues) {
  // n = m = 5: P(U <= 4) = 12/252 is the last below 5 %, so the interval is [D5, D21].
  const Series base = {1, 2, 3, 4, 5};
  const Series current = {11, 12, 13, 14, 15};
  const Shift shift = EstimateShift(base, current);
  EXPECT_EQ(shift.estimate, 10);
  EXPECT_EQ(shift.low, KthDifference(base, current, 5));
  EXPECT_EQ(shift.high, KthDifference(base, current, 21));
  EXPECT_FALSE(shift.low_confidence);
}

TEST(EstimateShift, TwoValuesAreTooFewForAnInterval) {
  EXPECT_TRUE(EstimateShift(Series{1, 2}, Series{3, 4}).low_confidence);
  EXPECT_FALSE(EstimateShift(Series{1, 2, 3}, Series{3, 4, 5}).low_confidence);
}

TEST(EstimateShift, AutocorrelationWidensTheInterval) {
  Series waves, shuffled;
  for (int i = 0; i < 40; ++i) waves.push_back(100 + (i / 10 % 2 == 0 ? 1 : -1) + 0.01 * (i % 10));
  for (int i = 0; i < 40; ++i) shuffled.push_back(waves[static_cast<std::size_t>(i * 17 % 40)]);
  const Shift slow = EstimateShift(waves, waves);
  const Shift fast = EstimateShift(shuffled, shuffled);
  EXPECT_GT(slow.autocorrelation, 0.7);
  EXPECT_GT(slow.high - slow.low, fast.high - fast.low);
}

Series Around(double center, double spread, int n, int phase = 0) {
  Series out;
  for (int i = 0; i < n; ++i) {
    out.push_back(center * (1 + spread * (((i + phase) * 7 % 11) - 5) / 5.0));
  }
  return out;
}

TEST(Compare, ARunAgainstItselfPassesWithZeroChangeHoweverNoisy) {
  const Runs runs = {Series{1, 100, 3, 70, 5}};
  const Comparison result = Compare(runs, runs, {});
  EXPECT_EQ(result.change, Change::kPass);
  EXPECT_EQ(result.shift, 0);
}

TEST(Compare, ClearSlowdownFailsAndClearSpeedupIsImproved) {
  const Runs base = {Around(100, 0.01, 30)};
  const Runs slow = {Around(112, 0.01, 30, 3)};
  const Comparison worse = Compare(base, slow, {});
  EXPECT_EQ(worse.change, Change::kFail);
  EXPECT_THAT(worse.shift, DoubleNear(0.12, 0.005));
  EXPECT_GT(worse.low, 0);
  EXPECT_EQ(Compare(slow, base, {}).change, Change::kImproved);
}

TEST(Compare, ASmallChangeWithinTheLimitPasses) {
  const Runs base = {Around(100, 0.01, 30), Around(100.3, 0.01, 30, 1), Around(99.8, 0.01, 30, 2)};
  EXPECT_EQ(Compare(base, Runs{Around(101, 0.01, 30, 3)}, {}).change, Change::kPass);
}

TEST(Compare, NoiseBeyondTheLimitIsInconclusiveAndSaysWhatWouldDecide) {
  const Runs base = {Around(100, 0.3, 6)};
  const Runs current = {Around(107, 0.3, 6, 4)};
  const Comparison result = Compare(base, current, {});
  EXPECT_EQ(result.change, Change::kInconclusive);
  EXPECT_THAT(result.advice,
              ::testing::MatchesRegex("about [0-9]+ iterations per run would decide it"));
  EXPECT_GT(result.minimum_detectable, 0.05);
}

TEST(Compare, HigherIsBetterTurnsTheVerdictRound) {
  CompareOptions options;
  options.lower_is_better = false;
  const Runs low = {Around(100, 0.01, 30)};
  const Runs high = {Around(120, 0.01, 30, 2)};
  EXPECT_EQ(Compare(low, high, options).change, Change::kImproved);
  EXPECT_EQ(Compare(high, low, options).change, Change::kFail);
}

TEST(Compare, TheAbsoluteFloorForgivesTinySteps) {
  CompareOptions options;
  options.absolute_floor = 50;
  EXPECT_EQ(Compare(Runs{Around(100, 0.01, 30)}, Runs{Around(112, 0.01, 30, 3)}, options).change,
            Change::kPass);
}

TEST(Compare, SharesAreComparedInPercentagePoints) {
  CompareOptions options;
  options.logarithmic = false;
  options.limit = 0.02;
  options.noise_floor = 0.002;
  const Comparison result =
      Compare(Runs{Around(0.10, 0.02, 20)}, Runs{Around(0.15, 0.02, 20, 3)}, options);
  EXPECT_EQ(result.change, Change::kFail);
  EXPECT_THAT(result.shift, DoubleNear(0.05, 0.002));
}

TEST(Compare, WarnsOfALimitBelowTheNoise) {
  CompareOptions options;
  options.limit = 0.01;
  const Runs runs = {Around(100, 0.01, 30)};
  EXPECT_TRUE(Compare(runs, Runs{Around(100, 0.01, 30, 1)}, options).limit_below_noise);
  options.limit = 0.05;
  EXPECT_FALSE(Compare(runs, Runs{Around(100, 0.01, 30, 1)}, options).limit_below_noise);
}

TEST(BenjaminiHochberg, KeepsAllUpToTheLastBelowItsLine) {
  // Lines at q = .1 and n = 4: .025 .05 .075 .1; the third is below its line, so all three count.
  EXPECT_THAT(BenjaminiHochberg(Series{0.5, 0.06, 0.001, 0.055}, 0.1),
              ElementsAre(false, true, true, true));
  EXPECT_THAT(BenjaminiHochberg(Series{0.5, 0.9}, 0.1), ElementsAre(false, false));
}

TEST(RoundToSum, GivesTheRestToTheLargestRemainders) {
  EXPECT_THAT(RoundToSum(Series{1.5, 1.25, 1.25}, 4), ElementsAre(2, 1, 1));
  EXPECT_THAT(RoundToSum(Series{-1.5, 0.75, 0.75}, 0), ElementsAre(-2, 1, 1));
  EXPECT_THAT(RoundToSum(Series{0.1, 0.1, 0.1}, 0), ElementsAre(0, 0, 0));
}

TEST(RoundToSum, AlwaysMeetsTheTotal) {
  for (const std::int64_t total : {-7, -1, 0, 1, 2, 5, 100}) {
    const auto parts = RoundToSum(Series{0.4, -0.3, 2.2}, total);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), total);
  }
}

}  // namespace
}  // namespace profgauge::stats
