// Runs that are slower and try to pass; healthy ones that others make look slow. Each passed, or
// failed, once.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compare_fixture.h"
#include "gate/baseline_verdict.h"
#include "gate/compare.h"
#include "gate/verdict.h"

namespace profgauge::gate {
namespace {

using testing::Find;
using testing::Plain;
using testing::Sample;

Snapshot Sourced(double level, const std::string& source) {
  Snapshot run = Sample(level);
  run.source = source;
  return run;
}

int ExitOf(RunComparison comparison) {
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, rules::Policy(), verdict);
  return ExitCodeOf(verdict, false);
}

// Its own copy in the baseline halves each change.
TEST(Attacks, ARunAmongItsBaselineIsNoPass) {
  const Snapshot slow = Sourced(1.08, "c");
  const std::vector<Snapshot> one = {slow};
  const RunComparison diluted = CompareRuns(std::vector{Sourced(1, "a"), slow}, one, nullptr);
  EXPECT_FALSE(diluted.is_same_run);
  EXPECT_TRUE(diluted.has_same_run);
  EXPECT_EQ(ExitOf(diluted), 3);
  EXPECT_EQ(ExitOf(CompareRuns(one, one, nullptr)), 3);
  EXPECT_EQ(ExitOf(CompareRuns(std::vector{Sourced(1.079, "a")}, one, nullptr)), 0);
  // A failure stays a failure.
  const Snapshot slowest = Sourced(2, "d");
  EXPECT_EQ(ExitOf(CompareRuns(std::vector{Sourced(1, "a"), Sourced(1, "b"), slowest},
                               std::vector{slowest}, nullptr)),
            1);
}

// One stall of 40 times the typical time makes the baseline's total as long as that of a run that
// stalls in a fifth of its iterations.
TEST(Attacks, AStallOfTheBaselineIsNamed) {
  Snapshot base = Sourced(1, "a"), current = Sourced(1, "b");
  base.iteration_times[7] *= 40;
  for (const std::size_t i : {3U, 8U, 12U, 17U}) current.iteration_times[i] *= 4;
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  const MetricComparison& time = Find(comparison, "iteration.time.median");
  EXPECT_NE(Plain(time.reason)
                .find("(the baseline's is 181 % longer by 1 of 20 iterations that take 40 "
                      "times as long: record it again)"),
            std::string::npos)
      << time.reason;
  EXPECT_EQ(
      Find(CompareRuns(std::vector{current}, std::vector{base}, nullptr), "iteration.time.median")
          .reason.find("record it again"),
      std::string::npos);
}

// Only those before the profile are compared where later ones are slower, as the profiler may be
// why.
TEST(Attacks, ARunThatBecomesSlowerIsNoPass) {
  const auto running = [](double after, const std::string& source) {
    Snapshot run = Sourced(1, source);
    for (Ns i = 0; i < 100; ++i) run.step_times.push_back(10'000'000 + i * 7 % 5 * 1000);
    run.steps_after = after;
    return run;
  };
  const auto exit_of = [&](double base, double current) {
    return ExitOf(CompareRuns(std::vector{running(base, "a"), running(base, "b")},
                              std::vector{running(current, "c")}, nullptr));
  };
  EXPECT_EQ(exit_of(1, 1), 0);
  EXPECT_EQ(exit_of(1, 2), 3);
  EXPECT_EQ(exit_of(1, 1.08), 3);
  // The profiler slows both.
  EXPECT_EQ(exit_of(1.24, 1.26), 0);
  EXPECT_EQ(exit_of(1.24, 1.4), 3);
  EXPECT_EQ(exit_of(0, 1.24), 0);
  const Snapshot run = running(1.24, "a");
  const auto read = ParseBaseline(WriteBaseline({run}), "base.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().steps_after, 1.24);
}

TEST(Attacks, ARunThatBrokeOffAfterItsProfileIsNoted) {
  const auto running = [](Ns steps) {
    Snapshot run = Sourced(1, std::to_string(steps));
    for (Ns i = 0; i < steps; ++i) run.step_times.push_back(10'000'000 + i * 7 % 5 * 1000);
    return run;
  };
  const auto notes_of = [&](Ns steps) {
    return CompareRuns(std::vector{running(200)}, std::vector{running(steps)}, nullptr).notes;
  };
  EXPECT_TRUE(notes_of(101).empty());
  EXPECT_EQ(notes_of(100).size(), 1U);
  ASSERT_EQ(notes_of(99).size(), 1U);
  EXPECT_EQ(notes_of(99).front(),
            "99 unrecorded iterations, the baseline's runs have 200 or more: did it break off?");
}

// Half the batch takes less time, whichever iterations are judged: where the program counts its
// samples, times are compared per sample.
TEST(Attacks, ASmallerBatchIsNoPassByUnrecordedIterations) {
  const auto stepping = [](double samples, Ns length) {
    Snapshot run = Sourced(1, std::to_string(length));
    run.samples = samples;
    for (Ns i = 0; i < 100; ++i) run.step_times.push_back(length + i * 7 % 5 * 1000);
    return run;
  };
  const auto base = stepping(128, 10'000'000);
  const auto row = [&](const Snapshot& run) {
    return Find(CompareRuns(std::vector{base}, std::vector{run}, nullptr), "step.time.median");
  };
  EXPECT_FALSE(row(stepping(128, 6'200'000)).is_missing);
  EXPECT_EQ(row(stepping(64, 6'200'000)).verdict, stats::Change::kFail);
  EXPECT_NE(row(stepping(64, 6'200'000)).reason.find("per sample"), std::string::npos);
  EXPECT_EQ(row(stepping(64, 5'010'000)).verdict, stats::Change::kPass);
  // Slower all the same.
  EXPECT_EQ(row(stepping(64, 12'000'000)).verdict, stats::Change::kFail);
}

}  // namespace
}  // namespace profgauge::gate
