#include "gate/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gate/change_text.h"
#include "gate/warmup.h"

namespace profgauge::stats {
namespace {

using Times = std::vector<double>;
using Runs = std::vector<Times>;

Times Scaled(Times times, double factor) {
  for (double& time : times) time *= factor;
  return times;
}

Times WithFirst(Times times, const Times& first) {
  std::copy(first.begin(), first.end(), times.begin());
  return times;
}

std::vector<Series> SeriesOf(const Runs& runs) {
  std::vector<Series> series;
  for (const Times& times : runs) series.push_back({times, FindWarmup(times)});
  return series;
}

Comparison Held(const Runs& base, const Runs& current, const CompareOptions& options = {}) {
  return Compare(SeriesOf(base), SeriesOf(current), options);
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

// A median does not see them, and the mean of a baseline without any is no noise.
TEST(FixedCases, SlowIterationsThatAreFewerThanHalf) {
  const auto with_slow = [](std::size_t one_of, std::size_t from, double factor) {
    Times times = kT;
    times.insert(times.end(), kT.begin(), kT.end());
    for (std::size_t i = from; i < times.size(); i += one_of) times[i] *= factor;
    return times;
  };
  const Times steady = with_slow(100, 99, 1);
  Times two_of_five = with_slow(5, 1, 3);
  for (std::size_t i = 3; i < two_of_five.size(); i += 5) two_of_five[i] *= 3;

  const Comparison many = Held({steady}, {two_of_five});
  EXPECT_EQ(many.change, Change::kFail);
  EXPECT_TRUE(many.slow.decides);
  EXPECT_EQ(many.slow.current, 10U);
  EXPECT_EQ(many.slow.base, 0U);
  EXPECT_LT(many.shift, 0.05);
  EXPECT_NEAR(many.slow.mean, 0.83, 0.02);
  EXPECT_THAT(DescribeChange(many, {Unit::kTime, 0.05}),
              ::testing::HasSubstr("on average, though the typical iteration changes by"));

  // Of a third it is probable, of every eighth it may be chance; and never where the baseline has
  // as many.
  const Comparison third = Held({steady}, {with_slow(3, 1, 2)});
  EXPECT_EQ(third.change, Change::kInconclusive);
  EXPECT_TRUE(third.over_limit);
  EXPECT_EQ(Held({steady}, {with_slow(8, 5, 2)}).change, Change::kPass);
  EXPECT_EQ(Held({with_slow(3, 2, 2)}, {with_slow(3, 1, 2)}).change, Change::kPass);
  // But not where it makes the run three times as long.
  const Comparison eighth = Held({steady}, {with_slow(8, 5, 20)});
  EXPECT_EQ(eighth.change, Change::kInconclusive);
  EXPECT_TRUE(eighth.over_limit);
  EXPECT_GT(eighth.slow.mean, 2);
  // The same eighth against five runs without any is none.
  const Comparison more = Held({steady, steady, steady, steady, steady}, {with_slow(8, 5, 2)});
  EXPECT_TRUE(more.slow.decides);
  // However few iterations there are to tell it by, a run that takes many times as long is no pass.
  Times two_of_kt = kT;
  two_of_kt[6] *= 40;
  two_of_kt[9] *= 40;
  const Comparison few = Held({kT}, {two_of_kt});
  EXPECT_EQ(few.change, Change::kInconclusive);
  EXPECT_TRUE(few.over_limit);
  // One alone is no pass either where it takes as long as all others together, over ten times its
  // time; the longest of the baseline, slow as it is, excuses none that is longer.
  for (const double factor : {1.0, 1.08}) {
    Times base = kT;
    base[4] *= factor;
    Times one_of_kt = kT;
    one_of_kt[6] *= 40;
    const Comparison one = Held({base}, {one_of_kt});
    EXPECT_EQ(one.change, Change::kInconclusive) << factor;
    EXPECT_TRUE(one.over_limit && one.slow.decides) << factor;
    EXPECT_THAT(DescribeChange(one, {Unit::kTime, 0.05}),
                ::testing::HasSubstr(": 1 of 12 iterations"));
    Times other = kT;
    other[8] *= 40;
    EXPECT_EQ(Held({other}, {one_of_kt}).change, Change::kPass) << factor;
    one_of_kt[6] = 9 * kT[6];
    EXPECT_EQ(Held({base}, {one_of_kt}).change, Change::kPass) << factor;
    EXPECT_EQ(Held({base}, {two_of_kt}).change, Change::kInconclusive) << factor;
  }
  // Of five, one that is six times as long doubles the mean: that is what such runs do.
  const Times five(kT.begin(), kT.begin() + 5);
  Times one_of_five = five;
  one_of_five[3] *= 8;
  EXPECT_FALSE(Held({five}, {one_of_five}).slow.decides);
  one_of_five[3] *= 3;
  EXPECT_TRUE(Held({five}, {one_of_five}).slow.decides);
  // Slow ones that leave the mean within the limit are none of its business.
  EXPECT_EQ(Held({steady}, {with_slow(3, 1, 1.12)}).change, Change::kPass);
  EXPECT_NE(Held({steady}, {two_of_five}, {.strictness = Strictness::kCertain}).change,
            Change::kFail);
}

// A run that is slower throughout is so by its iterations' noise between runs, not by some of them.
TEST(FixedCases, NoiseBetweenRunsIsNoSlowPart) {
  const auto times = [](double factor) {
    Times all;
    for (std::size_t i = 0; i < 24; ++i) all.push_back(kT[i % kT.size()] * factor);
    return all;
  };
  const CompareOptions noisy{.noise_floor = 0.05};
  const Comparison slower = Held({times(1)}, {times(1.09)}, noisy);
  EXPECT_EQ(slower.change, Change::kInconclusive);
  EXPECT_TRUE(slower.over_limit);
  EXPECT_FALSE(slower.slow.decides);
  EXPECT_EQ(Held({times(1)}, {times(1.09)}).change, Change::kFail);
  // Half of them so much slower are none that runs differ by.
  Times half = times(1);
  for (std::size_t i = 1; i < half.size(); i += 2) half[i] *= 1.8;
  EXPECT_EQ(Held({times(1)}, {half}, noisy).change, Change::kFail);
  // Nor are slow ones of both that became slower by as much.
  const auto slow_fourth = [&times](double factor) {
    Times all = times(1);
    for (std::size_t i = 3; i < all.size(); i += 4) all[i] *= factor;
    return all;
  };
  EXPECT_EQ(Held({slow_fourth(2)}, {slow_fourth(2.6)}, noisy).change, Change::kInconclusive);
  EXPECT_EQ(Held({slow_fourth(2)}, {slow_fourth(2.6)}).change, Change::kFail);
}

// A GPU that throttles: few in twelve, but the last ones, all of them.
TEST(FixedCases, SlowIterationsToTheEnd) {
  const auto slow_from = [](std::size_t first, std::size_t last) {
    Times times = kT;
    for (std::size_t i = first; i < last; ++i) times[i] *= 1.3;
    return times;
  };
  ASSERT_EQ(kT.size(), 12U);
  for (const std::size_t first : {7U, 8U, 9U}) {
    const Comparison end = Held({kT}, {slow_from(first, 12)});
    EXPECT_EQ(end.change, Change::kInconclusive) << first;
    EXPECT_TRUE(end.over_limit) << first;
    EXPECT_TRUE(end.slow.at_end) << first;
  }
  EXPECT_THAT(DescribeChange(Held({kT}, {slow_from(8, 12)}), {Unit::kTime, 0.05}),
              ::testing::HasSubstr("0 of 12 in the baseline; they are the last ones in a row"));
  // Two may be last by chance; as many in the middle are a disturbance that ended.
  EXPECT_EQ(Held({kT}, {slow_from(10, 12)}).change, Change::kPass);
  EXPECT_FALSE(Held({kT}, {slow_from(5, 9)}).slow.at_end);
  // So many of both sides are how the program runs.
  EXPECT_EQ(Held({slow_from(9, 12)}, {slow_from(9, 12)}).change, Change::kPass);
}

// Every eighth runs the optimizer, in both: there are as many slow ones, and they grew.
TEST(FixedCases, SlowIterationsThatGrew) {
  const auto with_optimizer = [](std::size_t iterations, double factor) {
    Times times;
    for (std::size_t i = 0; i < iterations; ++i) {
      times.push_back(kT[i % kT.size()] * (i % 8 == 7 ? factor : 1));
    }
    return times;
  };
  const Comparison grown = Held({with_optimizer(48, 1.6)}, {with_optimizer(48, 6)});
  EXPECT_EQ(grown.change, Change::kFail);
  EXPECT_TRUE(grown.slow.decides);
  EXPECT_EQ(grown.slow.base, grown.slow.current);
  EXPECT_NEAR(grown.slow.longer, 2.75, 0.01);
  EXPECT_THAT(
      DescribeChange(grown, {Unit::kTime, 0.05}),
      ::testing::HasSubstr("6 of 48 in the baseline, and the typical one of them takes 275"));
  // Two of a side may be alike by chance.
  const Comparison few = Held({with_optimizer(16, 1.6)}, {with_optimizer(16, 6)});
  EXPECT_EQ(few.change, Change::kInconclusive);
  EXPECT_TRUE(few.over_limit);
  // As many as before, and as slow; and one stall that grew.
  EXPECT_EQ(Held({with_optimizer(48, 1.6)}, {Scaled(with_optimizer(48, 1.6), 1.02)}).change,
            Change::kPass);
  EXPECT_EQ(Held({with_optimizer(12, 2)}, {with_optimizer(12, 8)}).change, Change::kPass);
  // Stalls that are as long by chance say nothing.
  Times stalls = with_optimizer(48, 1), others = stalls;
  for (const auto& [at, factor] : {std::pair{4, 2.0}, {19, 9.0}, {33, 3.0}}) {
    stalls[static_cast<std::size_t>(at)] *= factor;
  }
  for (const auto& [at, factor] : {std::pair{9, 8.0}, {22, 3.5}, {40, 10.0}}) {
    others[static_cast<std::size_t>(at)] *= factor;
  }
  EXPECT_EQ(Held({stalls}, {others}).change, Change::kPass);
}

// Two of five are no single odd one, however many others there are.
TEST(FixedCases, SlowRunsThatAreFewerThanHalf) {
  const Runs base = {kT, Scaled(kT, 1.005), Scaled(kT, 0.995)};
  for (const std::size_t fine : {1U, 2U, 3U}) {
    Runs current(fine, kT);
    current.insert(current.end(), 2, Scaled(kT, 1.3));
    EXPECT_EQ(Held(base, current).change, Change::kFail) << fine;
  }
  Runs of_seven(4, kT);
  of_seven.insert(of_seven.end(), 3, Scaled(kT, 1.3));
  EXPECT_EQ(Held(base, of_seven).change, Change::kFail);
  EXPECT_EQ(Held(base, {kT, kT, Scaled(kT, 1.3)}).change, Change::kPass);
}

TEST(FixedCases, AStallInTheBaselineDoesNotExcuseThreeTimesSlower) {
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
  EXPECT_EQ(FindWarmup(kWarm), 3u);
  const Comparison same = Held({kT}, {kWarm});
  EXPECT_EQ(same.change, Change::kPass);
  ExpectInterval(same, 0, -4.37, 4.57);
  const Comparison twice = Held({kT}, {Scaled(kWarm, 2)});
  EXPECT_EQ(twice.change, Change::kFail);
  ExpectInterval(twice, 100, 91.3, 109.1, 0.06);
}

// Where the baseline begins steadily, a start that is half of the run is no habit of the program.
TEST(FixedCases, ALongSlowStartIsNoWarmUpOfTheCandidateAlone) {
  Times long_start = kT;
  for (std::size_t i = 0; i < 5; ++i) long_start[i] *= 2;
  const Comparison open = Held({kT}, {long_start});
  EXPECT_EQ(open.change, Change::kInconclusive);
  EXPECT_TRUE(open.over_limit);
  EXPECT_THAT(DescribeChange(open, {Unit::kTime, 0.05}),
              ::testing::HasSubstr("5 iterations at the start that look like warm-up"));
  EXPECT_EQ(Held({long_start}, {Scaled(long_start, 1.01)}).change, Change::kPass);
  EXPECT_EQ(Held({long_start}, {kT}).change, Change::kPass);
  EXPECT_EQ(Held({kT}, {Scaled(long_start, 2)}).change, Change::kFail);
  // A slow start that the mean does not show.
  Times little = kT;
  for (std::size_t i = 0; i < 5; ++i) little[i] *= 1.1;
  EXPECT_EQ(Held({kT}, {little}).change, Change::kPass);
  EXPECT_EQ(Held({kT}, {long_start}, {.absolute_floor = 1000}).change, Change::kPass);
  // One stall may cut all before it.
  std::vector<Series> current = {{kT, 5}};
  current[0].values[4] *= 3;
  EXPECT_EQ(Compare(SeriesOf({kT}), current, {}).change, Change::kPass);
}

TEST(FixedCases, OddAndHalfWarmRunsAreLeftOut) {
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
TEST(FixedCases, RunsThatDriftApartLeaveTheQuestionOpen) {
  const std::vector<std::vector<double>> base = {kT, Scaled(kT, 1.01), Scaled(kT, 0.99)};
  const Comparison drift = Held(base, {kT, Scaled(kT, 1.063), Scaled(kT, 1.45)});
  EXPECT_EQ(drift.current.kept, 3u);
  EXPECT_NEAR(drift.current.apart, 0.45, 1e-9);
  EXPECT_NE(drift.change, Change::kPass);
  const Comparison odd = Held(base, {kT, Scaled(kT, 1.01), Scaled(kT, 1.45)});
  EXPECT_EQ(odd.current.kept, 2u);
  EXPECT_EQ(odd.change, Change::kPass);
}

TEST(FixedCases, NoiseStaysOpenAndSpeedIsImproved) {
  const Comparison noisy = Held({{70, 130, 100, 85, 115, 95}}, {{75, 139, 107, 91, 123, 102}});
  EXPECT_EQ(noisy.change, Change::kInconclusive);
  EXPECT_TRUE(noisy.over_limit);
  ExpectInterval(noisy, 7.03, -31.7, 67.8, 0.06);
  const Comparison faster = Held({kT}, {Scaled(kT, 0.8)});
  EXPECT_EQ(faster.change, Change::kImproved);
  ExpectInterval(faster, -20, -23.4, -16.4, 0.06);
}

TEST(Compare, ARunAgainstItselfPassesWithZeroChangeHoweverNoisy) {
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

TEST(Compare, HigherIsBetterTurnsTheVerdictRound) {
  CompareOptions options;
  options.lower_is_better = false;
  const Comparison fewer = Held({kT}, {Scaled(kT, 0.8)}, options);
  EXPECT_EQ(fewer.change, Change::kFail);
  EXPECT_NEAR(fewer.shift, -0.2, 1e-3);
  EXPECT_LT(fewer.low, fewer.shift);
  EXPECT_LT(fewer.high, 0);
  EXPECT_EQ(Held({kT}, {Scaled(kT, 1.2)}, options).change, Change::kImproved);
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

TEST(Compare, SharesAreComparedAsTheyAre) {
  CompareOptions options;
  options.logarithmic = false;
  options.limit = 0.02;
  options.noise_floor = 0.005;
  const Comparison worse = Held({Scaled(kT, 0.001)}, {Scaled(kT, 0.0016)}, options);
  EXPECT_EQ(worse.change, Change::kFail);
  EXPECT_NEAR(worse.shift, 0.06, 0.002);
  EXPECT_EQ(Held({Scaled(kT, 0.001)}, {Scaled(kT, 0.00101)}, options).change, Change::kPass);
}

TEST(Compare, TwoRunsThatDifferCannotBeToldApart) {
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

std::string Said(const Comparison& result, bool judges = true) {
  std::string text = DescribeChange(result, {Unit::kTime, 0.05, true, judges});
  for (std::size_t at = 0; (at = text.find("\u202f", at)) != std::string::npos;) {
    text.replace(at, 3, " ");
  }
  return text;
}

std::vector<std::string> SaidOfRuns(const Runs& base, const Runs& current) {
  const std::vector<Series> b = SeriesOf(base), c = SeriesOf(current);
  auto lines = DescribeRuns(Compare(b, c, {}), {"b1", "b2", "b3", "b4", "b5"}, {"c1", "c2"}, b, c,
                            Unit::kTime);
  for (std::string& text : lines) {
    for (std::size_t at = 0; (at = text.find("\u202f", at)) != std::string::npos;) {
      text.replace(at, 3, " ");
    }
  }
  return lines;
}

Times InMs(const Times& times) { return Scaled(times, 1e6); }

TEST(DescribeChange, SaysWhatWasFoundAndFromHowMuch) {
  EXPECT_EQ(Said(Held({InMs(kT), InMs(Scaled(kT, 1.01)), InMs(Scaled(kT, 0.99))},
                      {InMs(Scaled(kWarm, 1.2))})),
            "+20.0 % [+16.1, +24.1], limit +5 %; median 100 ms → 121 ms; 9 of 12 iterations, 3 "
            "runs of 36");
}

TEST(DescribeChange, DigitsEndWhereTheySayNothing) {
  EXPECT_EQ(Said(Held({Scaled(kT, 1e-6), Scaled(kT, 1e-6)}, {InMs(kT)})).substr(0, 42),
            "over +10 000 % [over +400, over +400], lim");
}

TEST(DescribeChange, SaysThatItFailsBySize) {
  const Comparison result = Held({{100, 102, 99, 101, 1000}}, {{301, 302, 299, 300, 298}});
  EXPECT_EQ(
      Said(result),
      "+197 %: the interval [below −80, over +400] is wide, but 5 of 5 iterations are over the "
      "baseline's typical one by more than 5 %");
}

TEST(DescribeChange, SaysWhatWouldDecide) {
  const Comparison over = Held({{70, 130, 100, 85, 115, 95}}, {{75, 139, 107, 91, 123, 102}});
  EXPECT_EQ(Said(over).substr(0, 44), "probably slower: +7.0 % [−32, +68]; exit 3");
  EXPECT_EQ(Said(over, false).find("exit 3"), std::string::npos);
  const Comparison within = Held({{70, 130, 100, 85, 115, 95}}, {{71, 131, 101, 86, 116, 96}});
  EXPECT_NE(Said(within).find(": within the limit, but +15 % cannot be excluded; "),
            std::string::npos)
      << Said(within);
}

TEST(DescribeChange, SaysWhichReadingDiffers) {
  // Slower at first, but too noisy to be warm-up.
  const Times early = {110, 110, 106, 108, 111, 112, 95, 100, 91, 107, 101, 107};
  const Comparison result =
      Held({Times(12, 100.0), Times(12, 100.0), Times(12, 100.0)}, {early, early, early});
  ASSERT_EQ(result.change, Change::kInconclusive) << Said(result);
  EXPECT_EQ(Said(result),
            "+7.0 %, but +0.5 % in the later half: not over the limit throughout; "
            "exit 3");
}

TEST(DescribeChange, SaysThatOneIterationIsNoNoise) {
  EXPECT_NE(
      Said(Held({{100}}, {{120}})).find("; one iteration says nothing of its noise: 10 % assumed"),
      std::string::npos);
}

TEST(DescribeRuns, NamesWhatWasLeftOutAndWhy) {
  EXPECT_EQ(SaidOfRuns({kT, Scaled(kT, 1.01), Scaled(kT, 0.99), Scaled(kT, 1.3), kT}, {kT}),
            std::vector<std::string>{"run b4 was left out: its typical iteration is 30 % slower "
                                     "than that of the 4 others"});
  EXPECT_EQ(
      SaidOfRuns({kT, kT, kT, WithFirst(kT, {160, 161, 162, 163, 159, 158}), kT}, {kT}),
      std::vector<std::string>{"run b4 was left out: half of it (iterations 0–5) is warm-up"});
  EXPECT_EQ(SaidOfRuns({kT, Scaled(kT, 1.3)}, {kT}),
            std::vector<std::string>{"the 2 baseline runs differ by 30 %: no change below that can "
                                     "be certain; record a third"});
  EXPECT_EQ(DescribeWarmup("b2", 3), "iterations 0–2 were left out as warm-up of run b2");
  EXPECT_EQ(DescribeWarmup("b2", 1), "iteration 0 was left out as warm-up of run b2");
}

TEST(IntervalEnd, BeyondAFactorOfFiveIsJustFar) {
  EXPECT_EQ(IntervalEnd(-0.85, false), "below −80\u202f%");
  EXPECT_EQ(IntervalEnd(9, false), "over +400\u202f%");
  EXPECT_EQ(IntervalEnd(0.123, false), "+12.3\u202f%");
}

}  // namespace
}  // namespace profgauge::stats
