// What kind of movement is behind a missed limit: the first row that holds, and the evidence.
#include "gate/movement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/metric_id.h"
#include "compare_fixture.h"
#include "gate/compare.h"

namespace profgauge::gate {
namespace {

constexpr Ns kMovedIteration = 1'000'000;

// The typical iteration misses its limit of +5 % by `change`.
MetricComparison MissedTimeBy(double change) {
  MetricComparison metric;
  metric.metric = metric::kIterationTimeMedian.text();
  metric.unit = Unit::kTime;
  metric.method = CompareMethod::kStatistics;
  metric.verdict = stats::Change::kFail;
  metric.shift = change;
  metric.allowed = 0.05;
  metric.total = change;
  metric.total_limit = 0.05;
  return metric;
}

struct MovedKernel {
  std::string name;
  Ns base = 0, delta = 0;
};

// An iteration of 1 ms that takes `delta` longer, of which kernels take theirs and the host `host`.
RunComparison MovedBy(Ns delta, const std::vector<MovedKernel>& kernels, Ns host = 0) {
  RunComparison out;
  out.metrics = {MissedTimeBy(static_cast<double>(delta) / kMovedIteration)};
  out.waterfall.base = kMovedIteration;
  out.waterfall.delta = delta;
  WaterfallStep step;
  step.name = "cpu";
  step.delta = host;
  out.waterfall.steps = {step};
  for (const MovedKernel& kernel : kernels) {
    PairedWork row;
    row.name = kernel.name;
    row.base = kernel.base;
    row.current = kernel.base + kernel.delta;
    row.delta = kernel.delta;
    row.base_count = row.current_count = 1;
    out.kernels.rows.push_back(row);
  }
  return out;
}

std::vector<Snapshot> SomeRuns(int count = 1) {
  std::vector<Snapshot> runs;
  for (int i = 0; i < count; ++i) runs.push_back(testing::Sample(1));
  return runs;
}

Movement MovementOf(const RunComparison& comparison, const std::vector<Snapshot>& base = SomeRuns(),
                    const std::vector<Snapshot>& current = SomeRuns(),
                    const std::vector<std::int64_t>& same_commit = {}) {
  const auto movement = FindMovement(base, current, comparison, same_commit);
  EXPECT_TRUE(movement);
  return movement.value_or(Movement{});
}

std::vector<MovedKernel> TwentyKernels(double change) {
  std::vector<MovedKernel> kernels;
  for (int i = 0; i < 20; ++i)
    kernels.push_back({"kernel " + std::to_string(i), 45'000, static_cast<Ns>(45'000 * change)});
  return kernels;
}

TEST(Movement, ExistsOnlyWhereALimitIsMissed) {
  RunComparison kept = MovedBy(90'000, TwentyKernels(0.1));
  kept.metrics[0].verdict = stats::Change::kPass;
  EXPECT_FALSE(FindMovement(SomeRuns(), SomeRuns(), kept));
  kept.metrics[0].verdict = stats::Change::kInconclusive;
  EXPECT_FALSE(FindMovement(SomeRuns(), SomeRuns(), kept));
  kept.metrics[0].over_limit = true;
  EXPECT_TRUE(FindMovement(SomeRuns(), SomeRuns(), kept));
  kept.is_judged = false;
  EXPECT_FALSE(FindMovement(SomeRuns(), SomeRuns(), kept));
}

TEST(Movement, InputsWhereTheyTookOffHalfOrDiffer) {
  RunComparison comparison = MovedBy(70'000, TwentyKernels(0.07));
  comparison.metrics[0].inputs = 0.06;
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kInputs);
  EXPECT_EQ(testing::Plain(MovementOf(comparison).text),
            "the inputs are longer: +6.0 % of the +7.0 %");
  comparison.metrics[0].inputs = 0.03;
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kAllAlike);
  comparison.changed_inputs = "aten::mm [[64, 8]] → aten::mm [[72, 8]]";
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kInputs);
}

TEST(Movement, SomeIterationsWhereOnlyTheTotalMisses) {
  std::vector<Snapshot> current = SomeRuns();
  for (std::size_t i = 0; i < 7; ++i) current[0].iteration_times[i] *= 3;
  RunComparison comparison = MovedBy(700'000, TwentyKernels(0.7));
  comparison.metrics[0].shift = 0.01;
  comparison.metrics[0].total = 0.7;
  const Movement movement = MovementOf(comparison, SomeRuns(), current);
  EXPECT_EQ(movement.kind, MovementKind::kSomeIterations);
  EXPECT_EQ(movement.text, "some of the iterations, not the typical one");
}

// A start that costs more, too; but time after every iteration is not of some.
// The marks surround as much as before, and 200 µs follow each of them.
TEST(Movement, TimeBetweenIterations) {
  std::vector<Snapshot> base = SomeRuns(3), slow = SomeRuns();
  const auto give = [](std::vector<Snapshot>& runs, Ns between) {
    for (Snapshot& run : runs) {
      run.iteration_times.assign(20, kMovedIteration);
      run.iteration_periods.assign(19, kMovedIteration + between);
    }
  };
  give(base, 0);
  give(slow, 200'000);
  RunComparison comparison = MovedBy(0, {});
  comparison.metrics.front().total = 0.2;
  const Movement movement = MovementOf(comparison, base, slow);
  EXPECT_EQ(NameOf(movement.kind), "between");
  EXPECT_EQ(movement.text,
            "+200\u202fµs from an iteration's end to the next start makes all of it");
  // If the iterations themselves became longer, it is not most of the change.
  comparison = MovedBy(300'000, {});
  EXPECT_NE(NameOf(MovementOf(comparison, base, slow).kind), "between");
  give(slow, 0);
  comparison = MovedBy(0, {});
  comparison.metrics.front().total = 0.2;
  EXPECT_NE(NameOf(MovementOf(comparison, base, slow).kind), "between");
}

TEST(Movement, SomeIterationsAreNotNearlyAll) {
  std::vector<Snapshot> current = SomeRuns();
  for (std::size_t i = 0; i < 5; ++i) current[0].iteration_times[i] *= 10;
  RunComparison comparison = MovedBy(2'200'000, TwentyKernels(2.2));
  comparison.metrics[0].verdict = stats::Change::kInconclusive;
  comparison.metrics[0].over_limit = true;
  comparison.metrics[0].shift = comparison.metrics[0].total.emplace(-0.01);
  comparison.metrics[0].open = stats::Open::kStart;
  EXPECT_EQ(MovementOf(comparison, SomeRuns(), current).text,
            "some of the iterations, not the typical one");
  for (Ns& time : current[0].iteration_times) time = 3 * kMovedIteration;
  comparison.metrics[0].total = 0.23;
  EXPECT_NE(MovementOf(comparison, SomeRuns(), current).kind, MovementKind::kSomeIterations);
}

// The limit leaves out a slow start; still its cost is of some iterations.
TEST(Movement, AStartIsOfSomeIterations) {
  MetricComparison passed = MovedBy(2'200'000, TwentyKernels(2.2)).metrics[0];
  passed.verdict = stats::Change::kPass;
  passed.shift = passed.total.emplace(0.004);
  passed.total_limit = 0.05;
  EXPECT_FALSE(IsOfSomeIterations(passed));
  passed.all = 0.15;
  EXPECT_TRUE(IsOfSomeIterations(passed));
  passed.shift = 0.06;
  EXPECT_FALSE(IsOfSomeIterations(passed));
}

// One of three candidates is slower, and it is not the one in the middle.
TEST(Movement, IsUnknownWhereTheRunsDoNotShowIt) {
  RunComparison comparison = MovedBy(5'000, TwentyKernels(0.005));
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kUnknown);
  comparison.metrics[0].shift = 0.2;
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kUnknown);
}

// A limit on a share of the time says as much about time.
TEST(Movement, IsOfSharesToo) {
  RunComparison comparison = MovedBy(100'000, TwentyKernels(0), 99'000);
  comparison.metrics[0].metric = metric::kBreakdownDataloader.text();
  comparison.metrics[0].unit = Unit::kShare;
  comparison.metrics[0].total_limit.reset();
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kHost);
  // Memory is neither time nor work, so no kind is said to be missing.
  comparison.metrics[0].unit = Unit::kBytes;
  EXPECT_FALSE(FindMovement(SomeRuns(), SomeRuns(), comparison));
}

TEST(Movement, ClockWhereItExplainsNearlyAll) {
  const auto at = [](double clock) {
    std::vector<Snapshot> runs = SomeRuns();
    runs[0].metrics[std::string(metric::kConditionsClock.text())] = clock;
    runs[0].metrics[std::string(metric::kGpuUtilizationMean.text())] = 1;
    runs[0].metrics[std::string(metric::kGpuIdleMean.text())] = 0;
    runs[0].metrics[std::string(metric::kConditionsComputeBound.text())] = 1;
    return runs;
  };
  const RunComparison comparison = MovedBy(650'000, TwentyKernels(0.65));
  const Movement movement = MovementOf(comparison, at(1980), at(1200));
  EXPECT_EQ(movement.kind, MovementKind::kClock);
  EXPECT_EQ(movement.text, "the GPU ran at 1200 instead of 1980 MHz: 100 % of the change");
  EXPECT_EQ(MovementOf(comparison, at(1980), at(1700)).kind, MovementKind::kAllAlike);
}

TEST(Movement, OneRankAndOtherWork) {
  RunComparison comparison = MovedBy(90'000, TwentyKernels(0.1));
  comparison.work.kind = WorkKind::kChanged;
  comparison.work.come = "`fused_x` (1 an iteration)";
  comparison.kernels.rows[0].current_count = 13;
  comparison.kernels.rows[0].count_effect = 60'000;
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kWork);
  EXPECT_EQ(MovementOf(comparison).text,
            "an iteration does other work: +12 launches per iteration; new: `fused_x` (1 an "
            "iteration)");
  comparison.slow_rank = SlowRank{3, "rank 3 takes 4.97 ms more"};
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kOneRank);
}

// The kind is of what makes most of it; other work that makes less is evidence, or in doubt.
TEST(Movement, OtherWorkThatMakesLittle) {
  RunComparison comparison = MovedBy(369'000, TwentyKernels(0.4));
  comparison.work.kind = WorkKind::kChanged;
  comparison.work.come = "`fused_x` (1 an iteration)";
  PairedWork fused;
  fused.name = "fused_x";
  fused.current = fused.delta = fused.count_effect = 9'000;
  fused.current_count = 1;
  comparison.kernels.rows.push_back(fused);
  Movement movement = MovementOf(comparison);
  EXPECT_EQ(movement.kind, MovementKind::kAllAlike);
  EXPECT_EQ(movement.evidence,
            (std::vector<std::string>{"an iteration does other work: +1 launch per iteration; new: "
                                      "`fused_x` (1 an iteration); that makes 2 % of it"}));
  comparison = MovedBy(100'000, {{"a", 100'000, 20'000}, {"b", 100'000, 0}}, 40'000);
  comparison.work.kind = WorkKind::kLess;
  fused.current = fused.delta = fused.count_effect = -9'000;
  fused.current_count = 0;
  fused.base_count = 1;
  comparison.kernels.rows.push_back(fused);
  movement = MovementOf(comparison);
  EXPECT_EQ(movement.kind, MovementKind::kWork);
  EXPECT_EQ(movement.text,
            "an iteration does other work: −1 launch per iteration; that makes nothing of it; no "
            "single kind explains the rest");
}

// Where times are not compared, neither kernels nor the clock are a cause, and no share is named.
TEST(Movement, OtherWorkHasNoCause) {
  RunComparison comparison = MovedBy(-819'000, TwentyKernels(-1));
  for (PairedWork& row : comparison.kernels.rows) row.current_count = 0;
  comparison.work.kind = WorkKind::kLess;
  comparison.work.gone = "`gemm` (12 an iteration)";
  comparison.metrics[0].verdict = stats::Change::kInconclusive;
  comparison.metrics[0].over_limit = true;
  comparison.metrics[0].is_of_other_work = true;
  const Movement less = MovementOf(comparison);
  EXPECT_EQ(less.kind, MovementKind::kWork);
  EXPECT_EQ(less.text,
            "an iteration does other work: −20 launches per iteration; gone: `gemm` (12 an "
            "iteration)");
  EXPECT_TRUE(less.evidence.empty());
  comparison.work.kind = WorkKind::kCollapsed;
  comparison.work.kept = std::log(0.1);
  EXPECT_EQ(testing::Plain(MovementOf(comparison).text),
            "the same launches take 10.0 % of the baseline's device time");
}

// A kernel that is gone did not become faster with the others.
TEST(Movement, AllAlikeIsOfLaunchesOnBothSides) {
  RunComparison comparison = MovedBy(-450'000, TwentyKernels(-0.5));
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kAllAlike);
  for (PairedWork& row : comparison.kernels.rows) row.current_count = 0;
  EXPECT_NE(MovementOf(comparison).kind, MovementKind::kAllAlike);
}

// All kernels are slower, and the iteration keeps a wide limit.
TEST(Movement, AllAlikeWhereNoLimitOnTimeIsMissed) {
  RunComparison comparison = MovedBy(270'000, TwentyKernels(0.3));
  comparison.metrics[0].verdict = stats::Change::kPass;
  PartsComparison parts;
  parts.kind = "kernels";
  parts.common = "20 kernels of the same work are all about 30 % slower";
  comparison.parts = {parts};
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kAllAlike);
  comparison.parts[0].found = "kernel 3: +39 % in 2 runs";
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kAllAlike);
}

TEST(Movement, PartsWhereFewKernelsMakeIt) {
  std::vector<MovedKernel> kernels = TwentyKernels(0);
  kernels[4].delta = 58'000;
  kernels[5].delta = 2'000;
  EXPECT_EQ(MovementOf(MovedBy(60'000, kernels)).kind, MovementKind::kParts);
  EXPECT_EQ(MovementOf(MovedBy(60'000, kernels)).text, "`kernel 4` makes 97 % of it");
  kernels[4].delta = 30'000;
  kernels[6].delta = 20'000;
  EXPECT_EQ(MovementOf(MovedBy(60'000, kernels)).text,
            "2 kernels make 83 % of it, `kernel 4` most");
}

TEST(Movement, PartsWhereOnlyTheyMiss) {
  RunComparison comparison = MovedBy(5'000, TwentyKernels(0.005));
  comparison.metrics[0].verdict = stats::Change::kPass;
  PartsComparison parts;
  parts.kind = "kernels";
  parts.most = "`kernel 3` +39 %";
  parts.once = "kernel 3: +39 % in this run";
  comparison.parts = {parts};
  EXPECT_FALSE(FindMovement(SomeRuns(), SomeRuns(), comparison));  // A warning, of one run.
  comparison.parts[0].level = rules::Level::kError;
  EXPECT_EQ(MovementOf(comparison).kind, MovementKind::kParts);
  comparison.parts[0].level = rules::Level::kWarn;
  comparison.parts[0].found = "kernel 3: +39 % in 2 runs";
  EXPECT_EQ(MovementOf(comparison).text,
            "single kernels, while no limit on the iteration is missed: `kernel 3` +39 %");
}

// In a program of few kernels a common change is mostly that of the largest ones.
TEST(Movement, AllAlikeGoesBeforeFewKernels) {
  const std::vector<MovedKernel> few = {
      {"a", 500'000, 40'000}, {"b", 300'000, 24'000}, {"c", 100'000, 8'500}};
  const Movement movement = MovementOf(MovedBy(72'500, few));
  EXPECT_EQ(movement.kind, MovementKind::kAllAlike);
  EXPECT_EQ(testing::Plain(movement.text),
            "every kernel takes 8.0 % longer: the machine, its clock or a library, rather than one "
            "place in the code");
}

TEST(Movement, HostWhereKernelsTakeAsLong) {
  const Movement movement = MovementOf(MovedBy(100'000, TwentyKernels(0), 99'000));
  EXPECT_EQ(movement.kind, MovementKind::kHost);
  EXPECT_EQ(movement.text, "kernels take as long; the host makes 99 % of it");
  EXPECT_EQ(MovementOf(MovedBy(100'000, TwentyKernels(0), 60'000)).kind, MovementKind::kUnknown);
  EXPECT_EQ(MovementOf(MovedBy(100'000, TwentyKernels(0), 101'000)).text,
            "kernels take as long; the host makes all of it");
}

TEST(Movement, NamesThePartOfTheHostThatMakesIt) {
  const auto text_of = [](std::string_view part) {
    RunComparison comparison = MovedBy(100'000, TwentyKernels(0), 99'000);
    comparison.waterfall.steps[0].name = part;
    return MovementOf(comparison).text;
  };
  EXPECT_EQ(text_of("dataloader"),
            "kernels take as long; waiting for the data loader makes 99 % of it");
  EXPECT_EQ(text_of("runtime"), "kernels take as long; runtime calls make 99 % of it");
  EXPECT_EQ(text_of("other"),
            "kernels take as long; time without a recorded operator or call makes 99 % of it");
}

TEST(Movement, TimesAloneKnowOnlySomeIterations) {
  std::vector<Snapshot> times = SomeRuns();
  times[0].iteration_times = {0};
  times[0].parts.clear();
  times[0].step_times.assign(40, kMovedIteration);
  std::vector<Snapshot> slower = times;
  for (std::size_t i = 0; i < 10; ++i) slower[0].step_times[i] *= 6;
  RunComparison comparison = MovedBy(0, {});
  comparison.waterfall = {};
  comparison.metrics[0].metric = metric::kStepTimeMedian.text();
  EXPECT_EQ(MovementOf(comparison, times, times).kind, MovementKind::kUnknown);
  EXPECT_EQ(MovementOf(comparison, times, times).text, "times without a profile show no cause");
  comparison.metrics[0].shift = 0;
  comparison.metrics[0].total = 1;
  EXPECT_EQ(MovementOf(comparison, times, slower).kind, MovementKind::kSomeIterations);
  EXPECT_EQ(MovementOf(comparison, times, slower).text,
            "some of the iterations, not the typical one");
}

TEST(Movement, EvidenceIsOfWhateverKind) {
  RunComparison comparison = MovedBy(100'000, TwentyKernels(0), 50'000);
  comparison.differences = {{"driver", "550.54", "560.28"},
                            {"with_stack", "0", "1"},
                            {"nccl", "", "2.21"},
                            {"iterations", "a", "b"}};
  std::vector<Snapshot> base = SomeRuns(), current = SomeRuns();
  base[0].metrics[std::string(metric::kConditionsThrottled.text())] = 0;
  current[0].metrics[std::string(metric::kConditionsThrottled.text())] = 0.31;
  current[0].metrics[std::string(metric::kConditionsOtherProcesses.text())] = 2;
  current[0].metrics[std::string(metric::kConditionsEccUncorrected.text())] = 1;
  const Movement movement = MovementOf(comparison, base, current, {47, 48});
  EXPECT_EQ(movement.kind, MovementKind::kUnknown);
  std::vector<std::string> plain;
  for (const std::string& one : movement.evidence) plain.push_back(testing::Plain(one));
  EXPECT_EQ(plain,
            (std::vector<std::string>{
                "the same commit as run 48, which passed: not the code", "driver 550.54 → 560.28",
                "throttled for 31.0 % of the time, in the baseline 0 %",
                "2 processes of others on the device", "1 uncorrected memory error (ECC)",
                "profiler: with_stack 0 → 1"}));
}

}  // namespace
}  // namespace profgauge::gate
