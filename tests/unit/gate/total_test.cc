// The total time of the iterations: by hand, and in the words that people read.
#include "gate/total.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "gate/constants.h"
#include "gate/significance.h"
#include "time_series.h"

namespace profgauge::gate::stats {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Iterations around 100, again and again; those at `slow` take `factor` times as long.
Times Around100(std::size_t n, const std::vector<std::size_t>& slow = {}, double factor = 1) {
  constexpr double kWobble[] = {0, 2.1, -0.8, 1.3, -1.6, 0.5, 3.6, -2.3, 1.8, -1.1, 0.1, 2.2};
  Times times;
  for (std::size_t i = 0; i < n; ++i) times.push_back(1e6 * (100 + kWobble[i % 12]));
  for (const std::size_t i : slow) times[i] *= factor;
  return times;
}

std::string Answer(const Comparison& result) {
  return std::string(ChangeName(result.change)) + (result.over_limit ? " over" : "");
}

// Four of eight: of 70 ways to choose them one has all the slow ones.
TEST(Draws, CountWaysToChoose) {
  std::vector<Drawn> values;
  for (const double value : {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0}) {
    values.push_back({value, value});
  }
  std::vector<std::size_t> of_sum(5);
  std::size_t draws = 0;
  ForEachDraw(values, 4, [&](const DrawnSums& sums) {
    ++draws;
    EXPECT_EQ(sums.base[0] + sums.current[0], 4);
    EXPECT_EQ(sums.current[0], sums.current[1]);
    ++of_sum[static_cast<std::size_t>(sums.current[0])];
  });
  EXPECT_EQ(draws, kDraws);
  const double ways[] = {1, 16, 36, 16, 1};
  for (std::size_t k = 0; k < 5; ++k) {
    const double expected = ways[k] / 70;
    const double room = 4 * std::sqrt(expected * (1 - expected) / static_cast<double>(kDraws));
    EXPECT_NEAR(static_cast<double>(of_sum[k]) / static_cast<double>(draws), expected, room) << k;
  }
}

TEST(Draws, IndependentOfOrderOfValues) {
  std::vector<Drawn> values;
  for (int i = 0; i < 30; ++i) values.push_back({i * 7 % 11 * 0.3, i % 3 * 1.0});
  const auto all = [](std::vector<Drawn> of) {
    std::vector<double> sums;
    ForEachDraw(std::move(of), 10, [&](const DrawnSums& s) { sums.push_back(s.current[0]); });
    return sums;
  };
  std::vector<Drawn> turned(values.rbegin(), values.rend());
  EXPECT_EQ(all(values), all(turned));
}

// Steele, Lea and Flood's generator from seed 0, as its authors print it.
TEST(Draws, ComeFromSplitMix64) {
  SplitMix64 random(0);
  EXPECT_EQ(random.Next(), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(random.Next(), 0x6E789E6AA1B965F4U);
}

// Slow iterations by their number, their size, and their place.
TEST(Total, DecidesByChanceAndBySize) {
  struct Row {
    std::string_view what;
    Runs base;
    Times current;
    std::string_view answer;
  };
  const auto each = [](std::size_t n, std::size_t of, double factor) {
    std::vector<std::size_t> slow;
    for (std::size_t i = 1; i < n; i += of) slow.push_back(i);
    return Around100(n, slow, factor);
  };
  const Times even = Around100(20);
  const Runs five(5, even);
  const Row kRows[] = {
      {"nothing", five, Scaled(even, 1.001), "pass"},
      {"a third, surely", {Around100(48)}, each(48, 3, 1.4), "fail"},
      {"a third, the mean within the limit", {Around100(48)}, each(48, 3, 1.12), "pass"},
      {"every second of the first half", five, Around100(20, {0, 2, 4, 6, 8}, 3), "fail"},
      {"2 of 20 ten times as long", five, Around100(20, {7, 15}, 10), "inconclusive over"},
      {"1 of 20 fifteen times as long", five, Around100(20, {9}, 15), "inconclusive over"},
      {"1 of 20 twice as long", five, Around100(20, {9}, 1.9), "pass"},
      {"a stall in the baseline disarms nothing",
       {Around100(20, {11}, 3)},
       Around100(20, {3, 6, 9, 11, 13, 16, 18}, 3.4),
       "inconclusive over"},
      {"as many in both", {Around100(48, {5, 17, 40}, 3)}, Around100(48, {9, 22, 31}, 3.1), "pass"},
      {"every eighth, which grew", {each(48, 8, 1.6)}, each(48, 8, 6), "inconclusive over"},
      {"the first 5 of 20 ten times as long", five, Around100(20, {0, 1, 2, 3, 4}, 10),
       "inconclusive over"},
      {"a slow first one", five, Around100(20, {0}, 3), "pass"},
      {"the last three of ten",
       {Around100(10)},
       Around100(10, {7, 8, 9}, 1.6),
       "inconclusive over"},
  };
  for (const Row& row : kRows)
    EXPECT_EQ(Answer(Held(row.base, {row.current})), row.answer) << row.what;
}

// Whatever made it: the measured total is over three limits longer.
TEST(Total, OverThreeLimitsNeverPasses) {
  for (const std::size_t n : {5U, 8U, 12U, 20U, 50U}) {
    for (const std::size_t runs : {1U, 3U, 5U}) {
      for (std::size_t at = 0; at < n; ++at) {
        const double factor = 1 + 0.25 * static_cast<double>(n);
        Runs base(runs, Around100(n));
        base.front()[n / 3] *= 1.2;
        const Comparison result = Held(base, {Around100(n, {at}, factor)});
        EXPECT_GT(result.total->with_start, 0.15);
        EXPECT_TRUE(result.change == Change::kFail || result.over_limit) << n << runs << at;
      }
    }
  }
}

TEST(Total, SlowRunsAreIndependentOfOrder) {
  const Times a = Around100(20, {3}, 2), b = Around100(20, {11, 12}, 3), c = Around100(20);
  const Times current = Around100(20, {2, 8, 14}, 2.5);
  const Comparison one = Held({a, b, c}, {current}), other = Held({c, a, b}, {current});
  EXPECT_EQ(one.total->chance, other.total->chance);
  EXPECT_NEAR(one.total->change, other.total->change, 1e-12);
  // Nor in whatever order its iterations come, after the start.
  Times turned = current;
  std::reverse(turned.begin() + 10, turned.end());
  const Comparison again = Held({a, b, c}, {turned});
  EXPECT_NEAR(again.total->change, one.total->change, 1e-12);
  // Nor in which unit the times are.
  const Comparison scaled = Held({Scaled(a, 3), Scaled(b, 3), Scaled(c, 3)}, {Scaled(current, 3)});
  EXPECT_NEAR(scaled.total->change, one.total->change, 1e-12);
  EXPECT_NEAR(*scaled.total->chance, *one.total->chance, 1e-9);
}

TEST(Total, DoubledIterationsNeverExcuse) {
  const auto twice = [](const Times& times) {
    Times out = times;
    out.insert(out.end(), times.begin(), times.end());
    return out;
  };
  for (const double factor : {1.5, 2.0, 3.0}) {
    const Times base = Around100(24, {7}, 1.5),
                slow = Around100(24, {3, 7, 11, 15, 19, 22}, factor);
    const Comparison once = Held({base}, {slow}), more = Held({twice(base)}, {twice(slow)});
    if (once.change == Change::kFail) {
      EXPECT_NE(more.change, Change::kPass) << factor;
    }
  }
}

TEST(Total, HasASeparateLimit) {
  const Times current = Around100(20, {2, 5, 8, 11, 14, 17}, 1.6);
  const Runs base(3, Around100(20));
  EXPECT_EQ(Answer(Held(base, {current})), "fail");
  const Comparison wider = Held(base, {current}, {.total_limit = 0.25});
  EXPECT_EQ(Answer(wider), "pass");
  EXPECT_THAT(Said(wider), HasSubstr(" % (limit +25 %), limit +5 %"));
  const Comparison off = Held(base, {current}, {.total_limit = std::nullopt});
  EXPECT_FALSE(off.total);
  EXPECT_THAT(Said(off), HasSubstr(", total not judged, limit +5 %"));
  // Nor does a total that is too short to matter count.
  EXPECT_EQ(Answer(Held(base, {current}, {.absolute_floor = 30e6})), "pass");
  EXPECT_EQ(Answer(Held(base, {current}, {.strictness = Strictness::kCertain})),
            "inconclusive over");
  // For throughput an increase is good.
  EXPECT_FALSE(Held(base, {current}, {.lower_is_better = false}).total);
}

TEST(Total, ImprovementNeedsNoLongerTotal) {
  const Runs base(3, Around100(20));
  EXPECT_EQ(Answer(Held(base, {Scaled(Around100(20), 0.85)})), "improved");
  EXPECT_EQ(Answer(Held(base, {Scaled(Around100(20, {7}, 5), 0.85)})), "pass");
}

// From start to start, where that is not the sum of the lengths.
TEST(Total, MayUseOtherTimes) {
  const auto lengths = SeriesOf({Around100(20)});
  const auto apart = SeriesOf({Scaled(Around100(20), 1.24)});
  CompareOptions once;
  once.must_repeat = false;
  const Comparison result = Compare(lengths, lengths, once, {lengths, apart});
  EXPECT_EQ(Answer(result), "fail");
  EXPECT_NEAR(result.shift, 0, 1e-12);
  EXPECT_NEAR(result.total->change, 0.24, 1e-9);
  EXPECT_EQ(Answer(Compare(lengths, lengths, {}, {apart, apart})), "pass");
}

TEST(TotalText, PassShowsChangeTotalAndLimit) {
  EXPECT_THAT(
      Said(Held(Runs(3, Around100(20)), {Scaled(Around100(20), 1.012)})),
      StartsWith("+1.2 % [−1.6, +4.1], total +1.2 %, limit +5 %; median 100 ms → 102 ms; n = 20 of "
                 "20 iterations; baseline: 60 iterations in 3 runs"));
}

TEST(TotalText, Improvement) {
  EXPECT_THAT(Said(Held(Runs(3, Around100(20)), {Scaled(Around100(20), 0.851)})),
              StartsWith("improved −14.9 % [−17.2, −12.5], total −14.9 %; median"));
}

TEST(TotalText, FailByTheTotal) {
  Runs base(5, Around100(20));
  base[2][11] *= 2;
  EXPECT_EQ(
      Said(Held(base, {Around100(20, {2, 5, 8, 11, 13, 16, 18}, 3.4)})),
      "total +83 %, limit +5 %: 7 of 20 iterations take 3.3 to 3.5 times as long (2, 5, 8, …), "
      "1 of 100 in the baseline; by chance in under 1 of 1000. The typical iteration is +1.5 % "
      "[−47, +94]");
}

TEST(TotalText, TotalOverThreeLimits) {
  EXPECT_EQ(
      Said(Held(Runs(5, Around100(20)), {Around100(20, {7, 15}, 10)})),
      "total +89 %, over three limits: iterations 7, 15 take 9.7 to 10 times as long (2 of 20, "
      "none of 100 in the baseline). Find the cause; if it was the machine, record again");
}

TEST(TotalText, TotalByChance) {
  const Comparison result = Held({Around100(20)}, {Around100(20, {3, 8, 12, 17}, 1.5)});
  EXPECT_EQ(Answer(result), "inconclusive over");
  EXPECT_THAT(Said(result),
              StartsWith("total +10.0 %, limit +5 %: 4 of 20 iterations take 1.5 times "
                         "as long (3, 8, 12, …), 0 of 20 in the baseline; by chance "
                         "in 3 of 100. The typical iteration is "));
}

TEST(TotalText, SlowStart) {
  EXPECT_EQ(Said(Held(Runs(5, Around100(20)), {Around100(20, {0, 1, 2, 3, 4}, 10)})),
            "total +224 % with the first 5 iterations (on average 10 times as long; the baseline's "
            "start costs nothing), +0.1 % without. Find the cause: compiling, cache, data");
  EXPECT_THAT(Said(Held(Runs(5, Around100(20, {0, 1}, 2)), {Around100(20, {0, 1, 2, 3, 4}, 10)})),
              HasSubstr("the baseline's start costs 10 % of its total)"));
}

TEST(TotalText, UnusualRun) {
  const Runs base(3, Around100(12));
  EXPECT_THAT(Said(Held(base, {Around100(12), Scaled(Around100(12), 3), Around100(12)})),
              StartsWith("one of 3 candidate runs takes 3 times as long as the others. Record it "
                         "again. Without it "));
}

TEST(ChanceText, IsOneOfAHundred) {
  EXPECT_EQ(ChanceText(0.0002), "by chance in under 1 of 1000");
  EXPECT_EQ(ChanceText(0.0021), "by chance in 2 of 1000");
  EXPECT_EQ(ChanceText(0.03), "by chance in 3 of 100");
  EXPECT_EQ(ChanceText(0.27), "by chance in 27 of 100");
}

}  // namespace
}  // namespace profgauge::gate::stats
