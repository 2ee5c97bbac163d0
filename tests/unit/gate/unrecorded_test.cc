// Limits and comparisons by unrecorded iterations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/trust/judged_steps.h"
#include "compare_fixture.h"
#include "gate/baseline_verdict.h"
#include "gate/unrecorded.h"
#include "verdict_fixture.h"

namespace profgauge::gate {
namespace {

using testing::Find;
using testing::Sample;

/// Idle for 42 % as recorded, and for `idle` without the profiler, somewhere in `low` to `high`.
analysis::Analysis Corrected(double idle, double low, double high, std::size_t steps = 200,
                             bool is_of_process = true) {
  analysis::Analysis analysis =
      MakeAnalysis({{"gpu.idle.mean", 0.42}, {"gpu.idle.unrecorded", idle}});
  analysis.metrics[1].may_be = high;
  analysis.metrics[1].may_also_be = low;
  auto judged = std::make_shared<analysis::trust::JudgedSteps>();
  judged->level = {27.8e6, 0.005, steps};
  judged->is_of_process = is_of_process;
  analysis.steps = std::move(judged);
  return analysis;
}

constexpr std::string_view kIdle = "thresholds: {gpu.idle.mean: {max: 30%}}";

TEST(Unrecorded, ALimitIsJudgedWithoutTheProfiler) {
  Expect(kIdle, Corrected(0.145, 0.12, 0.17), {kPass, 0, "pass", ""});
  Expect(kIdle, Corrected(0.38, 0.36, 0.4),
         {kFail, 1, "error",
          "gpu.idle.mean is 38.0 %, above the limit of 30 % (without the profiler; 42.0 % "
          "recorded)\n"});
  const Verdict verdict = Judge(*rules::ParsePolicy("schema: 1\n" + std::string(kIdle), "p.yaml"),
                                Corrected(0.145, 0.12, 0.17), {}, {});
  EXPECT_EQ(AsNumber(verdict.gate[0].measured, 0), 0.145);
  EXPECT_EQ(AsNumber(verdict.gate[0].recorded, 0), 0.42);
}

TEST(Unrecorded, IntervalAroundLimitIsUndecided) {
  constexpr std::string_view kOpen =
      "gpu.idle.mean is 28.0 % without the profiler (42.0 % recorded), but may be 25.0 % to 31.0 "
      "%\n";
  Expect(kIdle, Corrected(0.28, 0.25, 0.31), {kNoVerdict, 3, "low_confidence", kOpen});
}

TEST(Unrecorded, OnlyManyOwnIterationsExcuse) {
  Expect(kIdle, Corrected(0.145, 0.12, 0.17, 49),
         {kNoVerdict, 3, "low_confidence",
          "gpu.idle.mean is 42.0 % as recorded, 14.5 % without the profiler; 49 unrecorded "
          "iterations are too few to excuse that (50 are needed)\n"});
  Expect(kIdle, Corrected(0.145, 0.12, 0.17, 200, false),
         {kNoVerdict, 3, "low_confidence",
          "gpu.idle.mean is 42.0 % as recorded, 14.5 % without the profiler; nothing in the "
          "profile shows that the unrecorded iterations are of its process: let `StepClock` write "
          "them into it\n"});
  // A run that needs no excuse passes by fewer.
  Expect("thresholds: {gpu.idle.mean: {max: 50%}}", Corrected(0.145, 0.12, 0.17, 20, false),
         {kPass, 0, "pass", ""});
}

TEST(Unrecorded, PolicyMayIgnoreOrRequireThem) {
  Expect("unrecorded: ignore\n" + std::string(kIdle), Corrected(0.145, 0.12, 0.17),
         {kFail, 1, "error", "gpu.idle.mean is 42.0 %, above the limit of 30 %\n"});
  analysis::Analysis without = MakeAnalysis({{"gpu.idle.mean", 0.1}, {"step.time.median", {}}});
  Expect(
      "unrecorded: require\n" + std::string(kIdle), without,
      {kNoVerdict, 3, "pass",
       "the policy requires the times of unrecorded iterations: no such events were recorded\n"});
}

TEST(Unrecorded, UncorrectableNumbersAreMissing) {
  analysis::Analysis analysis = Corrected(0.1, 0.1, 0.1);
  analysis.metrics[1].value = {};
  analysis.metrics[1].absent_because = "the profile is of another part of the run";
  Expect(kIdle, analysis,
         {kNoVerdict, 3, "missing",
          "gpu.idle.mean is missing: the profile is of another part of the run\n"});
}

TEST(Unrecorded, OneDevicesMeanIsTheExtreme) {
  analysis::Analysis analysis = MakeAnalysis({{"profile.gpus", std::int64_t{1}}});
  EXPECT_EQ(WithoutProfiler("gpu.idle.max", analysis), metric::kGpuIdleUnrecorded);
  analysis = MakeAnalysis({{"profile.gpus", std::int64_t{2}}});
  EXPECT_EQ(WithoutProfiler("gpu.idle.max", analysis), std::nullopt);
  EXPECT_EQ(WithoutProfiler("kernel.count_per_iteration", analysis), std::nullopt);
}

// The profiler's overhead is time in which the device waits for the host.
TEST(Unrecorded, RulesUseIdleWithoutProfiler) {
  analysis::Analysis analysis = MakeAnalysis({{"gpu.idle.mean", 0.42},
                                              {"gpu.idle.unrecorded", 0.145},
                                              {"gpu.utilization.mean", 0.58},
                                              {"gpu.utilization.unrecorded", 0.855},
                                              {"step.perturbation", 41.0 / 27.8},
                                              {"gpu.idle_cause.host_wait", 0.3},
                                              {"gpu.idle_cause.launch_latency", 0.1},
                                              {"gpu.idle_cause.sync", 0.02}});
  analysis.steps = Corrected(0.145, 0.12, 0.17).steps;
  const rules::Policy policy;
  const analysis::Analysis before = analysis;
  ReplacedMetrics replaced = TakeProfilerOff(policy, analysis);
  const auto number = [&](std::string_view id) { return AsNumber(analysis.Find(id)->value, -1); };
  EXPECT_EQ(number("gpu.idle.mean"), 0.145);
  EXPECT_EQ(number("gpu.utilization.mean"), 0.855);
  const double causes = number("gpu.idle_cause.host_wait") +
                        number("gpu.idle_cause.launch_latency") + number("gpu.idle_cause.sync");
  EXPECT_NEAR(causes, 0.145, 0.001);
  EXPECT_NEAR(number("gpu.idle_cause.sync"), 0.02 * 41 / 27.8, 1e-9);
  PutBack(std::move(replaced), analysis);
  EXPECT_EQ(number("gpu.idle.mean"), 0.42);
  EXPECT_EQ(AsNumber(before.Find("gpu.idle_cause.sync")->value, 0), number("gpu.idle_cause.sync"));
  // Without an excuse the number stays, and may be as much less.
  analysis.steps = Corrected(0.145, 0.12, 0.17, 20).steps;
  replaced = TakeProfilerOff(policy, analysis);
  EXPECT_EQ(number("gpu.idle.mean"), 0.42);
  EXPECT_EQ(analysis.Find("gpu.idle.mean")->may_be, 0.145);
}

/// A run whose profile is always the same, and whose unrecorded iterations take `level` times 10
/// ms; every `stall`-th three times as long.
Snapshot RunOf(double level, std::size_t steps = 200, std::size_t stall = 0,
               std::uint32_t seed = 1) {
  Snapshot run = Sample(1);
  run.source = std::to_string(seed);
  for (std::size_t i = 0; i < steps; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const double noise = 1 + 0.02 * (static_cast<double>(seed >> 8) / (1 << 24) - 0.5);
    const double times = stall > 0 && i % stall == stall / 2 ? 3 : 1;
    run.step_times.push_back(std::llround(10e6 * level * noise * times));
  }
  return run;
}

int ExitOf(const std::vector<Snapshot>& base, const Snapshot& current) {
  RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{current}, nullptr);
  Verdict verdict;
  verdict.status = VerdictStatus::kPass;
  AddComparison(comparison, rules::Policy(), verdict);
  return ExitCodeOf(verdict, false);
}

TEST(Unrecorded, SlowerUnrecordedIterationsFail) {
  const std::vector<Snapshot> base = {RunOf(1, 200, 0, 1), RunOf(1, 200, 0, 2),
                                      RunOf(1, 200, 0, 3)};
  EXPECT_EQ(ExitOf(base, RunOf(1, 200, 0, 4)), 0);
  EXPECT_EQ(ExitOf(base, RunOf(1.08, 200, 0, 4)), 3);
  EXPECT_EQ(ExitOf(base, RunOf(1.2, 200, 0, 4)), 1);
  EXPECT_NE(ExitOf(base, RunOf(1, 200, 10, 4)), 0);
}

TEST(Unrecorded, ComparisonsSayWhichNumbersTheyJudge) {
  const std::vector<Snapshot> base = {RunOf(1)};
  const RunComparison both =
      CompareRuns(base, std::vector<Snapshot>{RunOf(1.08, 97, 0, 9)}, nullptr);
  const MetricComparison& time = Find(both, "step.time.median");
  EXPECT_NE(time.reason.find("by 97 unrecorded iterations, the baseline's 200"), std::string::npos)
      << time.reason;
  const RunComparison one = CompareRuns(base, std::vector<Snapshot>{Sample(1)}, nullptr);
  EXPECT_EQ(Find(one, "iteration.time.median").verdict, stats::Change::kPass);
  EXPECT_TRUE(std::ranges::any_of(one.notes, [](const std::string& note) {
    return note.starts_with("only one side has the times");
  }));
}

TEST(Unrecorded, MarkedIterationsCountOnlyInTotal) {
  const std::vector<Snapshot> base = {RunOf(1, 200, 0, 1), RunOf(1, 200, 0, 2),
                                      RunOf(1, 200, 0, 3)};
  Snapshot marked = RunOf(1, 200, 10, 4);
  for (std::uint32_t i = 5; i < 200; i += 10) marked.steps_unusual.push_back(i);
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{marked}, nullptr);
  const MetricComparison& time = Find(comparison, "step.time.median");
  EXPECT_NEAR(time.shift, 0, 0.01);
  EXPECT_NEAR(time.total.value_or(0), 0.2, 0.02);
}

TEST(Unrecorded, MeansAreNotComparedWithSingles) {
  Snapshot means = RunOf(1, 40);
  means.steps_a_value = 10;
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{RunOf(1)}, std::vector<Snapshot>{means}, nullptr);
  const MetricComparison& time = Find(comparison, "step.time.median");
  EXPECT_TRUE(time.is_missing);
  EXPECT_NE(time.reason.find("[run/other-sampling]"), std::string::npos);
}

TEST(Unrecorded, BaselinesKeepThem) {
  Snapshot run = RunOf(1, 30);
  run.steps_unusual = {3, 7};
  run.steps_a_value = 2;
  const auto read = ParseBaseline(WriteBaseline({run}), "base.json");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->front().step_times, run.step_times);
  EXPECT_EQ(read->front().steps_unusual, run.steps_unusual);
  EXPECT_EQ(read->front().steps_a_value, 2);
  EXPECT_EQ(WriteBaseline({Sample(1)}).find("\"steps\""), std::string::npos);
  for (const std::string wrong : {"[7,3]", "[-1,7]", "[3,99]", "[3,3]", "[3,\"7\"]", "[3,7.5]"}) {
    std::string text = WriteBaseline({run});
    text.replace(text.find("\"unusual\":[3,7]"), 15, "\"unusual\":" + wrong);
    EXPECT_FALSE(ParseBaseline(text, "base.json").has_value()) << wrong;
  }
}

}  // namespace
}  // namespace profgauge::gate
