#include "gate/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gate/by_chance.h"
#include "time_series.h"

namespace profgauge::gate::stats {
namespace {

Times WithFirst(Times times, const Times& first) {
  std::copy(first.begin(), first.end(), times.begin());
  return times;
}

const Times kS = {100, 102, 99, 101, 98};
const Times kT = {100, 102.1, 99.2, 101.3, 98.4, 100.5, 103.6, 97.7, 101.8, 98.9, 100.1, 102.2};
const Times kWarm = WithFirst(kT, {151, 150, 152});

// In per cent, to 0.05.
void ExpectInterval(const Comparison& result, double change, double low, double high,
                    double within = 0.05) {
  EXPECT_NEAR(result.shift * 100, change, 0.05);
  EXPECT_NEAR(result.low * 100, low, within);
  EXPECT_NEAR(result.high * 100, high, within);
}

TEST(FixedCases, FiveIterationsASide) {
  const Comparison slower = Held({kS}, {Scaled(kS, 1.2)});
  EXPECT_EQ(slower.change, Change::kFail);
  EXPECT_FALSE(slower.by_size);
  ExpectInterval(slower, 20, 13.40, 26.99);
  const Comparison same = Held({kS}, {Scaled(kS, 1.02)});
  EXPECT_EQ(same.change, Change::kPass);
  ExpectInterval(same, 2, -3.61, 7.94);
}

// Two of five are no single odd one, however many others there are.
TEST(FixedCases, SlowRunsFewerThanHalf) {
  const Runs base = {kT, Scaled(kT, 1.005), Scaled(kT, 0.995)};
  for (const std::size_t fine : {1U, 2U, 3U}) {
    Runs current(fine, kT);
    current.insert(current.end(), 2, Scaled(kT, 1.3));
    const Comparison result = Held(base, current);
    EXPECT_NE(result.change, Change::kPass) << fine;
  }
  // A total over three limits is no pass.
  const Comparison two = Held(base, {kT, kT, kT, Scaled(kT, 1.5), Scaled(kT, 1.5)});
  EXPECT_EQ(two.change, Change::kInconclusive);
  EXPECT_TRUE(two.over_limit);
  EXPECT_EQ(two.total->verdict, TotalVerdict::kBySize);
  Runs of_seven(4, kT);
  of_seven.insert(of_seven.end(), 3, Scaled(kT, 1.3));
  EXPECT_NE(Held(base, of_seven).change, Change::kPass);
  // One of three is left out, but never quietly.
  const Comparison one = Held(base, {kT, kT, Scaled(kT, 1.3)});
  EXPECT_EQ(one.change, Change::kInconclusive);
  EXPECT_TRUE(one.over_limit);
  EXPECT_EQ(one.by, DecidedBy::kOddCandidate);
  EXPECT_EQ(Held(base, {kT, kT, Scaled(kT, 0.7)}).change, Change::kPass);
}

TEST(FixedCases, BaselineStallExcusesNoTripleTime) {
  const Comparison result = Held({{100, 102, 99, 101, 1000}}, {{301, 302, 299, 300, 298}});
  EXPECT_EQ(result.change, Change::kFail);
  EXPECT_TRUE(result.by_size);
  EXPECT_NEAR(result.shift * 100, 197.03, 0.05);
}

TEST(FixedCases, OneIterationASide) {
  const Comparison thrice = Held({{100}}, {{300}});
  EXPECT_EQ(thrice.change, Change::kFail);
  ExpectInterval(thrice, 200, 77.1, 408.1, 0.1);
  const Comparison slower = Held({{100}}, {{120}});
  EXPECT_EQ(slower.change, Change::kInconclusive);
  EXPECT_TRUE(slower.over_limit);
  ExpectInterval(slower, 20, -29.1, 103.2, 0.1);
}

TEST(FixedCases, WarmUpIsLeftOut) {
  EXPECT_EQ(analysis::breakdown::FindWarmup(kWarm), 3u);
  const Comparison same = Held({kT}, {kWarm});
  EXPECT_EQ(same.change, Change::kPass);
  ExpectInterval(same, 0, -4.37, 4.57);
  const Comparison twice = Held({kT}, {Scaled(kWarm, 2)});
  EXPECT_EQ(twice.change, Change::kFail);
  ExpectInterval(twice, 100, 91.3, 109.1, 0.06);
}

TEST(FixedCases, SkipsOddAndHalfWarmRuns) {
  const Comparison odd =
      Held({kT, Scaled(kT, 1.01), Scaled(kT, 0.99), Scaled(kT, 1.3), Scaled(kT, 1.005)},
           {Scaled(kT, 1.2)});
  EXPECT_EQ(odd.change, Change::kFail);
  ExpectInterval(odd, 19.70, 16.3, 23.2, 0.06);
  EXPECT_EQ(odd.base.runs[3].left_out, LeftOut::kOdd);
  EXPECT_EQ(odd.base.kept, 4u);
  const Comparison half = Held({kT, Scaled(kT, 1.01), Scaled(kT, 0.99),
                                WithFirst(kT, {160, 161, 162, 163, 159, 158}), Scaled(kT, 1.005)},
                               {Scaled(kT, 3)});
  EXPECT_EQ(half.change, Change::kFail);
  ExpectInterval(half, 199.25, 190.7, 208.0, 0.06);
  EXPECT_EQ(half.base.runs[3].left_out, LeftOut::kHalfWarmup);
  EXPECT_EQ(half.base.kept, 4u);
}

// The slowest of several that drift away from each other is no odd one.
TEST(FixedCases, DriftingRunsAreUndecided) {
  const std::vector<std::vector<double>> base = {kT, Scaled(kT, 1.01), Scaled(kT, 0.99)};
  const Comparison drift = Held(base, {kT, Scaled(kT, 1.063), Scaled(kT, 1.45)});
  EXPECT_EQ(drift.current.kept, 3u);
  EXPECT_NEAR(drift.current.apart, 0.45, 1e-9);
  EXPECT_NE(drift.change, Change::kPass);
  const Comparison odd = Held(base, {kT, Scaled(kT, 1.01), Scaled(kT, 1.45)});
  EXPECT_EQ(odd.current.kept, 2u);
  EXPECT_EQ(odd.by, DecidedBy::kOddCandidate);
}

TEST(FixedCases, NoiseIsUndecidedSpeedImproves) {
  const Comparison noisy = Held({{70, 130, 100, 85, 115, 95}}, {{75, 139, 107, 91, 123, 102}});
  EXPECT_EQ(noisy.change, Change::kInconclusive);
  EXPECT_TRUE(noisy.over_limit);
  ExpectInterval(noisy, 7.03, -31.7, 67.8, 0.06);
  const Comparison faster = Held({kT}, {Scaled(kT, 0.8)});
  EXPECT_EQ(faster.change, Change::kImproved);
  ExpectInterval(faster, -20, -23.4, -16.4, 0.06);
}

TEST(Compare, NoisyRunAgainstItselfPasses) {
  const Comparison result = Held({{1, 100, 3, 70, 5}}, {{1, 100, 3, 70, 5}});
  EXPECT_EQ(result.change, Change::kPass);
  EXPECT_EQ(result.shift, 0);
}

TEST(Compare, MoreBaselinesNeverExcuseACertainChange) {
  // Each of five runs may have looked unsteady before, which made the whole comparison open.
  Runs base;
  for (int odd = 0; odd < 5; ++odd) {
    base.push_back(WithFirst(kT, {130, 100 + static_cast<double>(odd), 128}));
    EXPECT_EQ(Held(base, {Scaled(kT, 3)}).change, Change::kFail) << base.size();
  }
}

TEST(Compare, HigherIsBetterReversesVerdict) {
  CompareOptions options;
  options.lower_is_better = false;
  const Comparison fewer = Held({kT}, {Scaled(kT, 0.8)}, options);
  EXPECT_EQ(fewer.change, Change::kFail);
  EXPECT_NEAR(fewer.shift, -0.2, 1e-3);
  EXPECT_LT(fewer.low, fewer.shift);
  EXPECT_LT(fewer.high, 0);
  EXPECT_EQ(Held({kT}, {Scaled(kT, 1.2)}, options).change, Change::kImproved);
}

// Ten per cent fewer is 0.9 times, not 1 / 1.1 times: as limits on shares and counts have it.
TEST(Compare, LossIsMeasuredAsItIsWritten) {
  CompareOptions options;
  options.lower_is_better = false;
  options.limit = 0.1;
  EXPECT_FALSE(Held({kT}, {Scaled(kT, 0.905)}, options).over_limit);
  EXPECT_NE(Held({kT}, {Scaled(kT, 0.905)}, options).change, Change::kFail);
  EXPECT_EQ(Held({kT}, {Scaled(kT, 0.88)}, options).change, Change::kFail);
  const std::vector<double> base = {100, 100, 100};
  EXPECT_EQ(CompareRunValues(base, std::vector{90.5}, options, 1000).change, Change::kPass);
  const ValueComparison less = CompareRunValues(base, std::vector{89.5}, options, 1000);
  EXPECT_TRUE(less.over_limit || less.change == Change::kFail);
  // However wide a limit is, noise that hides a loss of three of them is no pass.
  options.limit = 0.4;
  const Comparison wide = Held({{100, 30, 170}}, {{70, 8, 160}}, options);
  EXPECT_LT(wide.low, -0.784);
  EXPECT_NE(wide.change, Change::kPass);
  EXPECT_NEAR(wide.excluded, -(1 - 0.6 * 0.6 * 0.6), 1e-9);
  options.limit = 2;  // Never: nothing loses more than all.
  EXPECT_EQ(Held({kT}, {Scaled(kT, 0.5)}, options).change, Change::kPass);
}

TEST(Compare, TheAbsoluteFloorForgivesTinySteps) {
  CompareOptions options;
  options.absolute_floor = 50;
  EXPECT_EQ(Held({kT}, {Scaled(kT, 1.2)}, options).change, Change::kPass);
  options.absolute_floor = 10;
  EXPECT_EQ(Held({kT}, {Scaled(kT, 1.2)}, options).change, Change::kFail);
}

TEST(Compare, CertainAsksForMore) {
  CompareOptions options;
  options.strictness = Strictness::kCertain;
  EXPECT_EQ(Held({kT}, {Scaled(kT, 1.08)}).change, Change::kFail);
  const Comparison open = Held({kT}, {Scaled(kT, 1.08)}, options);
  EXPECT_EQ(open.change, Change::kInconclusive);
  EXPECT_TRUE(open.over_limit);
  EXPECT_EQ(Held({kT}, {Scaled(kT, 1.2)}, options).change, Change::kFail);
}

TEST(Compare, TwoDifferingRunsAreUndecided) {
  const Comparison result = Held({kT, Scaled(kT, 1.3)}, {Scaled(kT, 1.2)});
  EXPECT_EQ(result.base.kept, 2u);
  EXPECT_NEAR(result.base.apart, 0.3, 1e-9);
}

TEST(Compare, WarnsOfALimitBelowTheNoise) {
  CompareOptions options;
  options.limit = 0.01;
  EXPECT_TRUE(Held({kT}, {Scaled(kT, 1.001)}, options).limit_below_noise);
  EXPECT_FALSE(Held({kT}, {Scaled(kT, 1.001)}).limit_below_noise);
}

std::vector<std::string> SaidOfRuns(const Runs& base, const Runs& current) {
  const std::vector<Series> b = SeriesOf(base), c = SeriesOf(current);
  auto lines = DescribeRuns(Compare(b, c, {}), {"b1", "b2", "b3", "b4", "b5"}, {"c1", "c2"}, b, c);
  for (std::string& text : lines) {
    for (std::size_t at = 0; (at = text.find("\u202f", at)) != std::string::npos;) {
      text.replace(at, 3, " ");
    }
  }
  return lines;
}

Times InMs(const Times& times) { return Scaled(times, 1e6); }

TEST(DescribeChange, DescribesResultAndSamples) {
  EXPECT_EQ(
      Said(Held({InMs(kT), InMs(Scaled(kT, 1.01)), InMs(Scaled(kT, 0.99))},
                {InMs(Scaled(kWarm, 1.2))})),
      "+20.0 % [+16.1, +24.1], total +35 %, without the first 3 iterations +20.0 %, limit +5 %; "
      "median 100 ms → 121 ms; n = 9 of 12 iterations; baseline: 36 iterations in 3 runs");
}

TEST(DescribeChange, DigitsEndWhereTheySayNothing) {
  EXPECT_EQ(Said(Held({Scaled(kT, 1e-6), Scaled(kT, 1e-6)}, {InMs(kT)})).substr(0, 42),
            "over +10 000 % [over +400], total over +10");
}

TEST(DescribeChange, SaysThatItFailsBySize) {
  const Comparison result = Held({{100, 102, 99, 101, 1000}}, {{301, 302, 299, 300, 298}});
  EXPECT_EQ(
      Said(result),
      "+197 % [below −80, over +400]: 5 of 5 iterations are over the baseline's typical one by "
      "more than 5 %, though the interval is wide");
}

TEST(DescribeChange, NamesDecidingRuns) {
  const Comparison over = Held({{70, 130, 100, 85, 115, 95}}, {{75, 139, 107, 91, 123, 102}});
  EXPECT_TRUE(Said(over).starts_with("undecided, probably slower: +7.0 % [−32, +68], total +"))
      << Said(over);
  const Comparison within = Held({{70, 130, 100, 85, 115, 95}}, {{71, 131, 101, 86, 116, 96}});
  EXPECT_NE(Said(within).find(" is within the limit +5 %, but +15 % cannot be excluded; "),
            std::string::npos)
      << Said(within);
}

TEST(DescribeChange, SaysWhichReadingDiffers) {
  // Slower at first, but too noisy to be warm-up.
  const Times early = {110, 110, 106, 108, 111, 112, 95, 100, 91, 107, 101, 107};
  const Comparison result =
      Held({Times(12, 100.0), Times(12, 100.0), Times(12, 100.0)}, {early, early, early});
  ASSERT_EQ(result.change, Change::kInconclusive) << Said(result);
  EXPECT_EQ(
      Said(result),
      "undecided: +7.0 % [+0.3, +14.1], total +4.8 %, but +0.5 % in the later half: not over the "
      "limit +5 % throughout");
}

TEST(DescribeChange, OneIterationShowsNoNoise) {
  EXPECT_NE(
      Said(Held({{100}}, {{120}})).find("; one iteration has no measurable noise: 10 % is assumed"),
      std::string::npos);
}

TEST(DescribeRuns, NamesExcludedRunsAndReasons) {
  EXPECT_EQ(SaidOfRuns({kT, Scaled(kT, 1.01), Scaled(kT, 0.99), Scaled(kT, 1.3), kT}, {kT}),
            std::vector<std::string>{"run b4 is excluded: its typical iteration is 30 % slower "
                                     "than that of the 4 others"});
  EXPECT_EQ(SaidOfRuns({kT, kT, kT, WithFirst(kT, {160, 161, 162, 163, 159, 158}), kT}, {kT}),
            std::vector<std::string>{
                "run b4 is excluded: half of it (iterations 0–5) is slower than the rest"});
  EXPECT_EQ(
      SaidOfRuns({kT, Scaled(kT, 1.3)}, {kT}),
      std::vector<std::string>{"the 2 baseline runs differ by 30 %; smaller changes cannot be "
                               "detected. Record a third"});
}

TEST(DescribeWarmup, IsOneSentenceOfASide) {
  const auto said = [](const std::vector<std::size_t>& warmups) {
    std::vector<stats::Series> runs;
    std::vector<std::string> names;
    for (const std::size_t warmup : warmups) {
      runs.emplace_back().warmup = warmup;
      names.push_back(fmt::format("b{}", names.size() + 1));
    }
    return DescribeWarmup(runs, names, "baseline");
  };
  const std::string end = " slower than the rest: the typical iteration excludes ";
  EXPECT_EQ(said({0, 0}), "");
  EXPECT_EQ(said({0, 3}), "iterations 0–2 of baseline run b2 are" + end + "them");
  EXPECT_EQ(said({0, 1}), "iteration 0 of baseline run b2 is" + end + "it");
  EXPECT_EQ(said({1, 1, 0}), "iteration 0 of 2 baseline runs are" + end + "them");
  EXPECT_EQ(said({1, 3, 2}), "the first 1 to 3 iterations of 3 baseline runs are" + end + "them");
}

TEST(IntervalEnd, BeyondFactorFiveIsFar) {
  EXPECT_EQ(IntervalEnd(-0.85, false), "below −80\u202f%");
  EXPECT_EQ(IntervalEnd(9, false), "over +400\u202f%");
  EXPECT_EQ(IntervalEnd(0.123, false), "+12.3\u202f%");
}

}  // namespace
}  // namespace profgauge::gate::stats
