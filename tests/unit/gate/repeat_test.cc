// Which failures are final, and which ask for another recording.
#include "gate/repeat.h"

#include <gtest/gtest.h>

#include <optional>

#include "time_series.h"

namespace profgauge::gate::stats {
namespace {

// 20 iterations of about 100 ms; runs of one program differ by `level`.
Times Around(double level) {
  Times times;
  for (int i = 0; i < 20; ++i) times.push_back(100 * level * (1 + 0.004 * (i * 7 % 5 - 2)));
  return times;
}

Runs Baselines(std::size_t count) {
  Runs runs;
  for (std::size_t i = 0; i < count; ++i) {
    runs.push_back(Around(1 + 0.002 * static_cast<double>(i % 3)));
  }
  return runs;
}

Comparison Judged(const Runs& base, const Runs& current, const Runs& earlier = {}) {
  const auto before = SeriesOf(earlier);
  return Compare(SeriesOf(base), SeriesOf(current), {}, {}, {before, {}});
}

TEST(NeededRecordings, FollowFromTheBaselineRuns) {
  for (const std::size_t runs : {1U, 3U}) EXPECT_EQ(NeededRecordings(runs), std::nullopt) << runs;
  for (const std::size_t runs : {4U, 6U}) EXPECT_EQ(NeededRecordings(runs), 3U) << runs;
  for (const std::size_t runs : {7U, 36U}) EXPECT_EQ(NeededRecordings(runs), 2U) << runs;
  EXPECT_EQ(NeededRecordings(37), 1U);
}

TEST(Repeat, OneRecordingAsksTwoAnswer) {
  const Comparison one = Judged(Baselines(7), {Around(1.08)});
  EXPECT_EQ(one.open, Open::kAgain);
  EXPECT_TRUE(one.over_limit);
  EXPECT_EQ(one.recordings, 1U);
  EXPECT_EQ(one.needed, 2U);
  EXPECT_EQ(Judged(Baselines(7), {Around(1.08), Around(1.081)}).change, Change::kFail);
  // The second is at the level: as the rules say of both.
  EXPECT_EQ(Judged(Baselines(7), {Around(1.07), Around(1.001)}).change, Change::kPass);
  EXPECT_EQ(Judged(Baselines(40), {Around(1.08)}).change, Change::kFail);
}

TEST(Repeat, FewBaselineRunsConfirmOnlyFarChanges) {
  const Comparison near = Judged(Baselines(3), {Around(1.08), Around(1.08), Around(1.08)});
  EXPECT_EQ(near.open, Open::kLearning);
  EXPECT_GE(near.recordings, near.needed);
  EXPECT_EQ(Judged(Baselines(3), {Around(1.2)}).change, Change::kFail);
}

// A run of the baseline that is as slow shows that the machine does it.
TEST(Repeat, NeedsAGapToTheSlowestRun) {
  Runs base = Baselines(7);
  base[2] = Around(1.075);
  const Comparison result = Judged(base, {Around(1.08), Around(1.08)});
  EXPECT_EQ(result.open, Open::kAgain);
  EXPECT_EQ(result.recordings, result.needed);
}

// Earlier commits that were as slow are recordings of the same slowdown; others are none.
TEST(Repeat, CountsSlowAncestors) {
  EXPECT_EQ(Judged(Baselines(7), {Around(1.08)}, {Around(1.09)}).change, Change::kFail);
  EXPECT_EQ(Judged(Baselines(7), {Around(1.08)}, {Around(1.0)}).open, Open::kAgain);
  EXPECT_EQ(Judged(Baselines(7), {Around(1.0)}, {Around(1.09)}).change, Change::kPass);
}

TEST(Repeat, TotalsFailAtOnceByManyStretches) {
  const auto slow = [](std::vector<std::size_t> places) {
    Times times = Around(1);
    for (const std::size_t place : places) times[place] *= 2;
    return times;
  };
  EXPECT_EQ(Judged(Baselines(7), {slow({2, 5, 8, 11, 14, 17})}).change, Change::kFail);
  // One burst may be the machine.
  EXPECT_NE(Judged(Baselines(7), {slow({8, 9, 10, 11, 12, 13})}).change, Change::kFail);
}

// An evaluation that some of the baseline's runs have, at another place or not at all.
TEST(Total, KnowsTheStallsOfTheBaseline) {
  const auto with = [](std::size_t place) {
    Times times = Around(1);
    times[place] *= 10;
    return times;
  };
  Runs base = Baselines(10);
  EXPECT_EQ(Judged(base, {with(9)}).open, Open::kStalls);
  for (const std::size_t i : {1U, 4U, 6U, 8U}) base[i] = with(2 + i);
  EXPECT_EQ(Judged(base, {with(15)}).change, Change::kPass);
}

TEST(Total, AllowsStartsAsLongAsTheBaselines) {
  const auto warm = [](int start) {
    Times times = Around(1);
    for (int i = 0; i < start; ++i) times[static_cast<std::size_t>(i)] *= 2.5 - 0.2 * i;
    return times;
  };
  Runs base = Baselines(5);
  EXPECT_EQ(Judged(base, {warm(6)}).open, Open::kStart);
  base[3] = warm(6);
  EXPECT_EQ(Judged(base, {warm(6)}).change, Change::kPass);
}

// Too noisy to exclude four limits: no pass, though the change is within the limit.
TEST(Compare, TooFewIterationsDecideNothing) {
  const Comparison result = Judged({{70, 130, 100, 85, 115, 95}}, {{71, 131, 101, 86, 116, 96}});
  EXPECT_EQ(result.open, Open::kTooFew);
  EXPECT_NEAR(result.excluded, 0.2, 1e-9);
}

}  // namespace
}  // namespace profgauge::gate::stats
