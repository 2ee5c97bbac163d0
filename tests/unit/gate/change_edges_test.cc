// The edges of the procedure: changes at the limit, by their size alone, and below the floor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gate/change.h"
#include "gate/warmup.h"

namespace profgauge::stats {
namespace {

using Values = std::vector<double>;

std::string Answered(const Comparison& result) {
  return std::string(ChangeName(result.change)) + (result.over_limit ? " over" : "") +
         (result.by_size ? " by size" : "") + (result.start.decides ? " start" : "");
}

std::string AnswerOf(const Values& base, const Values& current,
                     const CompareOptions& options = {}) {
  const auto warmup = [&](const Values& values) {
    return options.logarithmic ? FindWarmup(values) : std::size_t{0};
  };
  return Answered(Compare(std::vector<Series>{{base, warmup(base)}},
                          std::vector<Series>{{current, warmup(current)}}, options));
}

// What is at the limit is within it: shares, in eighths, so that it is so exactly.
TEST(Compare, AtTheLimitIsWithinIt) {
  struct Row {
    double base, current;
    bool lower_is_better;
    std::string_view answer;
  };
  for (const Row& row : {Row{0.25, 0.375, true, "pass"}, Row{0.25, 0.3750001, true, "fail"},
                         Row{0.375, 0.25, true, "pass"}, Row{0.375, 0.2499999, true, "improved"},
                         Row{0.375, 0.25, false, "pass"}, Row{0.375, 0.2499999, false, "fail"},
                         Row{0.25, 0.3750001, false, "improved"}}) {
    CompareOptions options;
    options.limit = 0.125;
    options.logarithmic = false;
    options.noise_floor = 0;
    options.lower_is_better = row.lower_is_better;
    EXPECT_EQ(AnswerOf(Values(5, row.base), Values(6, row.current), options), row.answer)
        << row.base << " " << row.current;
    options.strictness = Strictness::kCertain;
    EXPECT_EQ(AnswerOf(Values(5, row.base), Values(6, row.current), options), row.answer)
        << row.base << " " << row.current;
  }
}

// But for the last digit, which a file may lose, however noisy the run is.
TEST(Compare, TheLastDigitOfASeriesIsNoChange) {
  const Values noisy = {0.001, 100, 3, 7000, 5};
  for (const double part : {1 - 5e-13, 1 + 5e-13}) {
    Values again = noisy;
    for (double& value : again) value *= part;
    const Comparison result =
        Compare(std::vector<Series>{{noisy, 0}}, std::vector<Series>{{again, 0}}, {});
    EXPECT_EQ(Answered(result), "pass");
    EXPECT_EQ(result.shift, 0);
  }
  for (const std::size_t i : {0U, 1U, 2U, 3U, 4U}) {
    Values other = noisy;
    other[i] *= 1 + 5e-12;
    EXPECT_NE(AnswerOf(noisy, other), "pass") << i;
  }
}

// Faster in every reading, or it is no improvement.
TEST(Compare, FasterAtFirstIsNoImprovement) {
  const Values even = Values(12, 100.0);
  Values early(12, 80.0), late(12, 80.0);
  for (std::size_t i = 7; i < 12; ++i) early[i] = 99;
  EXPECT_EQ(AnswerOf(even, early), "pass");
  EXPECT_EQ(AnswerOf(even, late), "improved");
}

// A wide interval excuses no change that nearly every iteration shows: nine of ten from one and a
// half limits on, eight of ten from three; with `certain` nine of ten from three.
TEST(Compare, FailsBySizeWhereNearlyAllIterationsShowIt) {
  struct Row {
    double factor;
    int slow;  ///< Of ten.
    std::string_view normal, certain;
  };
  const Row kRows[] = {
      {1.08, 9, "inconclusive over", "inconclusive over"},
      {1.10, 8, "inconclusive over", "inconclusive over"},
      {1.10, 9, "fail by size", "inconclusive over"},
      {1.14, 9, "fail by size", "inconclusive over"},
      {1.20, 7, "inconclusive over", "inconclusive over"},
      {1.20, 8, "fail by size", "inconclusive over"},
      {1.20, 9, "fail by size", "fail by size"},
      {1.30, 8, "fail by size", "inconclusive over"},
      {1.30, 9, "fail by size", "fail by size"},
  };
  const Values wide = {100, 102, 99, 101, 1000};
  for (const Row& row : kRows) {
    Values current;
    for (int i = 0; i < 10; ++i) current.push_back(i * 7 % 10 < row.slow ? 100 * row.factor : 100);
    EXPECT_EQ(AnswerOf(wide, current), row.normal) << row.factor << " " << row.slow;
    EXPECT_EQ(AnswerOf(wide, current, {.strictness = Strictness::kCertain}), row.certain)
        << row.factor << " " << row.slow;
  }
}

// Nor is it excused by runs that differ much: from four times their noise on.
TEST(Compare, FailsBySizeAboveTheNoiseOfRuns) {
  const Values wide = {100, 102, 99, 101, 1000};
  for (const auto& [factor, answer] : {std::pair{1.12, "inconclusive over"},
                                       {1.13, "inconclusive over"},
                                       {1.14, "fail by size"},
                                       {1.15, "fail by size"}}) {
    Values current(10, 100 * factor);
    current[3] = 100;
    EXPECT_EQ(AnswerOf(wide, current, {.noise_floor = 0.02}), answer) << factor;
  }
}

// Two of a side say nothing by their size.
TEST(Compare, NothingFailsByTheSizeOfTwoIterations) {
  const Values two = {100, 1000}, three = {100, 101, 1000};
  EXPECT_EQ(AnswerOf(two, {400, 4000, 401}).find("by size"), std::string::npos);
  EXPECT_EQ(AnswerOf(three, {400, 4000}).find("by size"), std::string::npos);
  EXPECT_EQ(AnswerOf(three, {400, 4000, 401}), "fail by size");
}

// The floor is held against the change that is judged and against the medians, the larger of both:
// of these runs the medians differ by 2, the typical ratio by 10 %.
TEST(Compare, TheFloorForgivesOnlyWhatIsSmallByBoth) {
  const Values base = {90, 101, 90, 101, 90, 101, 100, 90, 101, 90, 101, 90, 101};
  const Values current = {99, 112, 99, 112, 99, 112, 102, 99, 112, 99, 112, 99, 112};
  const auto answer = [&](double floor, bool logarithmic) {
    CompareOptions options;
    options.absolute_floor = floor;
    options.logarithmic = logarithmic;
    options.limit = logarithmic ? 0.05 : 5;
    return AnswerOf(base, current, options);
  };
  EXPECT_EQ(answer(0, true), "fail");
  EXPECT_EQ(answer(5, true), "fail");
  EXPECT_EQ(answer(20, true), "pass");
  EXPECT_EQ(answer(0, false), "fail");
  EXPECT_EQ(answer(5, false), "fail");
  EXPECT_EQ(answer(20, false), "pass");
}

// Typical iterations may be forgiven by the floor, and what the warm-up hides not.
TEST(Compare, TheFloorThatForgivesTheRestForgivesNoLongStart) {
  Values base, current;
  for (int i = 0; i < 12; ++i) {
    base.push_back(100 + i * 5 % 7 * 0.1);
    current.push_back((i < 5 ? 200 : 108) + i * 5 % 7 * 0.1);
  }
  EXPECT_EQ(AnswerOf(base, current), "fail");
  EXPECT_EQ(AnswerOf(base, current, {.absolute_floor = 20}), "inconclusive over start");
  EXPECT_EQ(AnswerOf(base, current, {.absolute_floor = 200}), "pass");
}

// Twelve iterations around 100, again and again; those at the places `slow` times `factor`.
Values Around100(std::size_t n, const std::vector<std::size_t>& slow = {}, double factor = 1) {
  constexpr double kWobble[] = {0, 2.1, -0.8, 1.3, -1.6, 0.5, 3.6, -2.3, 1.8, -1.1, 0.1, 2.2};
  Values values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(100 + kWobble[i % 12]);
  for (const std::size_t i : slow) values[i] *= factor;
  return values;
}

// Slow iterations by their number, their size, and their place.
TEST(SlowPart, DecidesWhereItIsNoChance) {
  struct Row {
    std::string_view what;
    Values base, current;
    std::string_view answer;
  };
  const auto each = [](std::size_t n, std::size_t of, double factor) {
    std::vector<std::size_t> slow;
    for (std::size_t i = 1; i < n; i += of) slow.push_back(i);
    return Around100(n, slow, factor);
  };
  Values two_grown = Around100(24, {3, 9}, 3), two_before = Around100(24, {5, 14}, 2);
  two_grown[9] *= 8.0 / 3;
  two_before[14] *= 2;
  const Row kRows[] = {
      {"a third, surely", Around100(48), each(48, 3, 1.4), "fail"},
      {"a third, the mean just over the limit", Around100(48), each(48, 3, 1.2),
       "inconclusive over"},
      {"a third, the mean within it", Around100(48), each(48, 3, 1.12), "pass"},
      {"two of twelve, far", Around100(12), Around100(12, {6, 9}, 40), "inconclusive over"},
      {"one of five, far", Around100(5), Around100(5, {2}, 40), "inconclusive over"},
      {"one of five, less far", Around100(5), Around100(5, {2}, 9), "inconclusive"},
      {"one of twelve, far", Around100(12), Around100(12, {6}, 15), "inconclusive over"},
      {"one of twelve, less far", Around100(12), Around100(12, {6}, 9), "pass"},
      {"one of many, far", Around100(24), Around100(24, {6}, 15), "pass"},
      {"one of each, as far", Around100(12, {4}, 20), Around100(12, {6}, 19), "pass"},
      {"two of many", Around100(24), Around100(24, {6, 9}, 3), "pass"},
      {"two of many, which double the mean", Around100(24), Around100(24, {6, 9}, 40),
       "inconclusive over"},
      {"two, where the baseline has one", Around100(12, {4}, 2), Around100(12, {6, 9}, 40),
       "inconclusive over"},
      {"two, where the baseline has one that long", Around100(12, {4}, 40),
       Around100(12, {6, 9}, 40), "pass"},
      {"two of each, larger by chance", two_before, two_grown, "pass"},
      {"the last three of ten", Around100(10), Around100(10, {7, 8, 9}, 1.5), "inconclusive over"},
      {"the last three of eight", Around100(8), Around100(8, {5, 6, 7}, 1.3), "inconclusive"},
      {"the last two of many", Around100(24), Around100(24, {22, 23}, 3), "pass"},
      {"the last four, and one before", Around100(12, {4}, 1.3), Around100(12, {8, 9, 10, 11}, 1.3),
       "inconclusive"},
      {"three, not all of them last", Around100(12), Around100(12, {7, 10, 11}, 1.3), "pass"},
  };
  for (const Row& row : kRows) EXPECT_EQ(AnswerOf(row.base, row.current), row.answer) << row.what;
}

TEST(SlowPart, AmongManyRunsOneMayEndSlowlyByChance) {
  const auto answer = [](std::size_t runs) {
    std::vector<Series> base, current;
    for (std::size_t i = 0; i < runs; ++i) {
      base.push_back({Around100(10), 0});
      current.push_back(
          {Around100(10, i == 0 ? std::vector<std::size_t>{7, 8, 9} : std::vector<std::size_t>{},
                     3),
           0});
    }
    return Compare(base, current, {}).slow.at_end;
  };
  EXPECT_TRUE(answer(1));
  EXPECT_FALSE(answer(2));
}

TEST(SlowPart, TheFloorIsHeldAgainstTheMean) {
  std::vector<std::size_t> slow;
  for (std::size_t i = 1; i < 48; i += 3) slow.push_back(i);
  const Values current = Around100(48, slow, 1.6);  // The mean is longer by 20.
  EXPECT_EQ(AnswerOf(Around100(48), current, {.absolute_floor = 15}), "fail");
  EXPECT_EQ(AnswerOf(Around100(48), current, {.absolute_floor = 25}), "pass");
  EXPECT_EQ(AnswerOf(Around100(48), current, {.strictness = Strictness::kCertain}),
            "inconclusive over");
}

// What is left out as warm-up counts where the baseline has none such.
TEST(SlowStart, IsNoHabitOfTheProgramWhereTheBaselineHasLess) {
  const auto started = [](std::size_t iterations, double factor) {
    Values values = Around100(12);
    for (std::size_t i = 0; i < iterations; ++i) values[i] *= factor;
    return Series{values, iterations};
  };
  const auto answer = [](const std::vector<Series>& base, const std::vector<Series>& current,
                         const CompareOptions& options = {}) {
    return Answered(Compare(base, current, options));
  };
  EXPECT_EQ(answer({started(0, 1)}, {started(5, 3)}), "inconclusive over start");
  EXPECT_EQ(answer({started(2, 3)}, {started(5, 3)}), "inconclusive over start");
  EXPECT_EQ(answer({started(3, 3)}, {started(5, 3)}), "pass");
  EXPECT_EQ(answer({started(5, 2)}, {started(5, 3)}), "pass");
  EXPECT_EQ(answer({started(0, 1)}, {started(3, 3)}), "pass");  // Not over a quarter.
  EXPECT_EQ(answer({started(0, 1)}, {started(4, 3)}), "inconclusive over start");
  EXPECT_EQ(answer({started(0, 1)}, {started(5, 1.1)}), "pass");
  // However many runs there are.
  EXPECT_EQ(answer({started(3, 3)}, {started(5, 3), started(5, 3)}), "pass");
  EXPECT_EQ(answer({started(2, 3)}, {started(5, 3), started(5, 3)}), "inconclusive over start");
  EXPECT_EQ(answer({started(3, 3), started(2, 3)}, {started(5, 3)}), "pass");
  EXPECT_EQ(answer({started(2, 3), started(2, 3)}, {started(5, 3)}), "inconclusive over start");
  // Three of four that are cut are slow.
  Series partly = started(5, 3);
  partly.values[1] = 100;
  EXPECT_EQ(answer({started(0, 1)}, {partly}), "inconclusive over start");
  partly.values[2] = 101;
  EXPECT_EQ(answer({started(0, 1)}, {partly}), "pass");
}

// Of times whose increase is bad alone.
TEST(SlowStart, IsOfTimesAlone) {
  Values shares(12, 0.25), rising(12, 0.25), fast = Around100(12);
  for (std::size_t i = 0; i < 12; ++i) {
    shares[i] += 0.001 * static_cast<double>(i % 3);
    rising[i] = shares[i] + (i < 5 ? 0.5 : 0);
    if (i < 5) fast[i] /= 3;
  }
  CompareOptions options;
  options.logarithmic = false;
  const auto answer = [&](const Values& base, const Values& current) {
    return Answered(
        Compare(std::vector<Series>{{base, 0}}, std::vector<Series>{{current, 5}}, options));
  };
  EXPECT_EQ(answer(shares, rising), "pass");
  options = {};
  options.lower_is_better = false;
  EXPECT_EQ(answer(Around100(12), fast), "pass");
}

}  // namespace
}  // namespace profgauge::stats
