// The edges of the procedure: changes at the limit, only by their size, and below the floor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown/warmup.h"
#include "gate/change.h"

namespace profgauge::gate::stats {
namespace {

using Values = std::vector<double>;

std::string Answered(const Comparison& result) {
  return std::string(ChangeName(result.change)) + (result.over_limit ? " over" : "") +
         (result.by_size ? " by size" : "") + (result.by == DecidedBy::kTotal ? " by total" : "");
}

std::string AnswerOf(const Values& base, const Values& current, CompareOptions options = {}) {
  options.must_repeat = false;
  return Answered(Compare(std::vector<Series>{{base, analysis::breakdown::FindWarmup(base)}},
                          std::vector<Series>{{current, analysis::breakdown::FindWarmup(current)}},
                          options));
}

// Except for the last digit, which a file may lose, however noisy the run is.
TEST(Compare, SeriesLastDigitIsNoChange) {
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
TEST(Compare, SizeFailsIfNearlyAllShow) {
  struct Row {
    double factor;
    int slow;  ///< The number of slow ones out of ten.
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
TEST(Compare, FailsBySizeAboveRunNoise) {
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
TEST(Compare, TwoIterationsNeverFailBySize) {
  const Values two = {100, 1000}, three = {100, 101, 1000};
  EXPECT_EQ(AnswerOf(two, {400, 4000, 401}).find("by size"), std::string::npos);
  EXPECT_EQ(AnswerOf(three, {400, 4000}).find("by size"), std::string::npos);
  EXPECT_EQ(AnswerOf(three, {400, 4000, 401}), "fail by size");
}

// The floor is compared with the change that is judged and against the medians, the larger of both:
// of these runs the medians differ by 2, the typical ratio by 10 %.
TEST(Compare, FloorForgivesOnlySmallByBoth) {
  const Values base = {90, 101, 90, 101, 90, 101, 100, 90, 101, 90, 101, 90, 101};
  const Values current = {99, 112, 99, 112, 99, 112, 102, 99, 112, 99, 112, 99, 112};
  const auto answer = [&](double floor) {
    return AnswerOf(base, current, {.absolute_floor = floor});
  };
  EXPECT_EQ(answer(0), "fail");
  EXPECT_EQ(answer(5), "fail");
  EXPECT_EQ(answer(20), "pass");
}

}  // namespace
}  // namespace profgauge::gate::stats
