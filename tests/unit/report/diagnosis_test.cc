#include "report/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../render/fixture.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "report/build_plan.h"
#include "report/build_sections.h"

namespace profgauge::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kIteration = 100e6;  // ns

void AddMetric(Report& report, std::string_view id, Value value, Unit unit) {
  Metric& metric = report.metrics.emplace_back();
  metric.id = id;
  metric.title = id;
  metric.quantity = {value, unit, FormatValue(value, unit), ""};
}

Report RunOf(std::int64_t iterations) {
  Report report;
  report.verdict.status = State::kPass;
  report.profile.iterations_total = iterations;
  report.profile.accelerator = "nvidia";
  report.profile.devices = {{0, 0, "NVIDIA H100"}};
  AddMetric(report, metric::kIterationTimeMean.text(), kIteration, Unit::kTime);
  return report;
}

Finding& AddFinding(Report& report, std::string rule, State level, double saves) {
  Finding& finding = report.findings.emplace_back();
  finding.rule = finding.key = std::move(rule);
  finding.level = finding.status = level;
  finding.title = "Title of " + finding.rule;
  finding.message = "3.5 % of `a. b` is lost, e.g. here. The rest is detail.";
  if (saves > 0) finding.saves = BuildSaving({rules::Basis::kAtMost, saves, {}, {}});
  return finding;
}

void AddStep(Report& report, const std::string& rule, bool fired, double after) {
  if (!report.plan) {
    report.plan.emplace();
    report.plan->start = {kIteration, Unit::kTime, "100 ms", ""};
  }
  PlanStep& step = report.plan->steps.emplace_back();
  step.rules = {rule};
  step.fired = fired;
  report.plan->end = step.time = {after, Unit::kTime, FormatDuration(after), ""};
}

TEST(Diagnosis, IsTheFindingThatSavesMost) {
  Report report = RunOf(10);
  AddFinding(report, "gpu/idle", State::kWarn, 60e6);
  Finding& loader = AddFinding(report, "io/dataloader-bound", State::kWarn, 0);
  loader.saves = BuildSaving({rules::Basis::kSimulated, 33e6, 31e6, {}});
  const Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.bottleneck, "input-bound");
  EXPECT_EQ(diagnosis.text, "Input-bound: 3.5 % of `a. b` is lost, e.g. here.");
  EXPECT_EQ(diagnosis.finding, "io/dataloader-bound");
  // Of a simulation its low end counts, of a bound half.
  report.findings[1].saves = BuildSaving({rules::Basis::kSimulated, 33e6, 29e6, {}});
  EXPECT_EQ(Diagnose(report).bottleneck, "idle");
}

// What fails the run may save less than the first step of the plan.
TEST(Diagnosis, SaysWhereThePlanBeginsElsewhere) {
  Report report = RunOf(10);
  report.verdict.status = State::kFail;
  AddFinding(report, "tensorcore/eligible-not-used", State::kError, 0).saves =
      BuildSaving({rules::Basis::kSimulated, 6e6, {}, {}});
  AddFinding(report, "io/dataloader-bound", State::kWarn, 0).saves =
      BuildSaving({rules::Basis::kSimulated, 40e6, {}, {}});
  AddStep(report, "io/dataloader-bound", true, 60e6);
  report.plan->steps[0].title = "The GPU waits for input data";
  report.plan->steps[0].saves = report.findings[1].saves;
  EXPECT_THAT(Diagnose(report).text,
              EndsWith("The plan begins with a larger saving: The GPU waits for input data."));
  report.findings[0].saves = BuildSaving({rules::Basis::kUnknown, 0, {}, "no number"});
  EXPECT_THAT(Diagnose(report).text,
              EndsWith("The plan begins with another cause: The GPU waits for input data."));
  // A symptom of the headline's finding is the same cause.
  report.findings[0].explains = {"io/dataloader-bound"};
  EXPECT_THAT(Diagnose(report).text, Not(HasSubstr("The plan begins")));
}

// A number of one rank is not that of the run, which the parts of an iteration show.
TEST(Diagnosis, NamesTheRankOfANumber) {
  Report report = RunOf(10);
  report.verdict.status = State::kFail;
  Finding& exposed = AddFinding(report, "comm/exposed", State::kError, 20e6);
  exposed.metric = {0.595, Unit::kShare, "59.5 %", ""};
  exposed.metric_of = "rank 1";
  report.profile.ranks = 8;
  EXPECT_THAT(Diagnose(report).reasons[0].text, HasSubstr("(59.5 % of rank 1)"));
  report.profile.ranks = 1;
  EXPECT_THAT(Diagnose(report).reasons[0].text, HasSubstr("(59.5 %)"));
}

TEST(Diagnosis, OfAFailedRunNamesWhatFailsIt) {
  Report report = RunOf(10);
  report.verdict.status = State::kFail;
  report.verdict.errors = 1;
  AddFinding(report, "io/dataloader-bound", State::kWarn, 40e6);
  AddFinding(report, "comm/exposed", State::kError, 20e6);
  const Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.bottleneck, "communication-bound");
  ASSERT_EQ(diagnosis.reasons.size(), 1u);
  EXPECT_EQ(diagnosis.reasons[0].text, "Title of comm/exposed");
  EXPECT_EQ(diagnosis.reasons[0].code, "finding");
  // One that saves nothing is told so.
  report.findings[1].saves = BuildSaving({rules::Basis::kSimulated, 0, {}, {}});
  EXPECT_THAT(Diagnose(report).reasons[0].text, HasSubstr("no saving found"));
  // Without an error its warnings.
  report.verdict.status = State::kPass;
  report.findings.pop_back();
  ASSERT_EQ(Diagnose(report).reasons.size(), 1u);
  EXPECT_EQ(Diagnose(report).reasons[0].finding, "io/dataloader-bound");
}

// A part that no rule finds large is no bound of a run whose kernels work most of the time.
TEST(Diagnosis, OfMostlyKernelsNamesNoOtherBound) {
  Report report = RunOf(10);
  AddMetric(report, metric::kGpuIdleMean.text(), 0.05, Unit::kShare);
  AddMetric(report, metric::kBreakdownTensorCoreKernel.text(), 0.853, Unit::kShare);
  AddMetric(report, metric::kBreakdownCommunication.text(), 0.095, Unit::kShare);
  EXPECT_EQ(Diagnose(report).bottleneck, "none");
  EXPECT_THAT(Diagnose(report).text,
              StartsWith("Nothing found: kernels without communication run for 85.3"));
  report.metrics[2].quantity.value = 0.3;
  report.metrics[3].quantity.value = 0.6;
  EXPECT_EQ(Diagnose(report).bottleneck, "communication-bound");
}

// "Little to gain" is said only if every warning has a saving.
TEST(Diagnosis, AWarningWithoutASavingMayBeWorthMuch) {
  Report report = RunOf(10);
  AddMetric(report, metric::kBreakdownTensorCoreKernel.text(), 0.926, Unit::kShare);
  AddFinding(report, "gpu/idle", State::kWarn, kIteration / 100);
  EXPECT_EQ(Diagnose(report).bottleneck, "small");
  Finding& few = AddFinding(report, "compute/few-blocks", State::kWarn, 0);
  few.saves.basis = rules::Basis::kNone;
  EXPECT_EQ(Diagnose(report).bottleneck, "unknown");
  EXPECT_THAT(Diagnose(report).text, StartsWith("Gain unknown: kernels run for 92.6"));
  few.level = few.status = State::kInfo;
  EXPECT_EQ(Diagnose(report).bottleneck, "small");
}

TEST(Diagnosis, OfARunWithoutADeviceNamesTheOperator) {
  Report report = RunOf(1);
  report.profile.devices.clear();
  AddMetric(report, metric::kGpuIdleMean.text(), {}, Unit::kShare);
  AddMetric(report, metric::kBreakdownCpu.text(), 0.96, Unit::kShare);
  report.tables.push_back(render::testing::MakeTable(
      "ops", "op", "Operators",
      {{"name", "Name", Unit::kText, ""},
       {"host_self", "Self", Unit::kTime, ""},
       {"outside_host_self", "Outside", Unit::kTime, ""}},
      {{std::string("aten::addmm"), std::int64_t{97'000'000}, std::int64_t{1'000'000}},
       {std::string("aten::randn"), std::int64_t{400'000'000}, std::int64_t{400'000'000}}}));
  EXPECT_EQ(Diagnose(report).text,
            "CPU run: `aten::addmm` takes 96.0\u202f% of the 100\u202fms iteration.");
}

// The simulation of idle time may save a little more than that of its cause.
TEST(Diagnosis, NamesTheCauseOfAPlannedSymptom) {
  Report report;
  AddFinding(report, "io/dataloader-bound", State::kError, 0).explains = {"gpu/idle"};
  AddFinding(report, "gpu/idle", State::kError, 0);
  AddStep(report, "gpu/idle", true, 60e6);
  EXPECT_EQ(Diagnose(report).bottleneck, "input-bound");
}

TEST(Diagnosis, WithoutAPlanTheLargestBoundCounts) {
  Report report = RunOf(10);
  report.plan.emplace().absent_because = "no dependencies";
  AddFinding(report, "recording/data-loss", State::kError, 0);
  AddFinding(report, "comm/exposed", State::kWarn, 20e6);
  AddFinding(report, "compute/unfused-attention", State::kInfo, 30e6);
  EXPECT_EQ(Diagnose(report).bottleneck, "compute-bound");
  report.findings.back().saves = {};
  EXPECT_EQ(Diagnose(report).bottleneck, "communication-bound");
  // A symptom's saving is its cause's, which stands before it.
  AddFinding(report, "host/launch-bound", State::kWarn, 10e6).explains = {"comm/exposed"};
  std::rotate(report.findings.begin(), report.findings.end() - 1, report.findings.end());
  EXPECT_EQ(Diagnose(report).bottleneck, "launch-bound");
}

// "Memory-bound" of a run whose kernels spend 15 % on conversions would be false of the other 85 %.
TEST(Diagnosis, AWordForAllKernelsNeedsMostOfThem) {
  Report report = RunOf(10);
  Finding& finding = AddFinding(report, "compute/memory-bound", State::kInfo, 30e6);
  finding.metric.unit = Unit::kShare;
  finding.metric.value = 0.154;
  EXPECT_THAT(Diagnose(report).text, StartsWith("Title of compute/memory-bound"));
  report.findings.back().metric.value = 0.8;
  EXPECT_THAT(Diagnose(report).text, StartsWith("Memory-bound: "));
  report.findings.clear();
  AddFinding(report, "compute/layout-conversions", State::kWarn, 30e6);
  EXPECT_EQ(Diagnose(report).bottleneck, "slow-kernels");
}

TEST(Diagnosis, WithoutNumbersFirstFindingCounts) {
  Report report = RunOf(10);
  AddFinding(report, "recording/no-iterations", State::kWarn, 0);
  AddFinding(report, "neuron/throttled", State::kWarn, 0);
  EXPECT_EQ(Diagnose(report).bottleneck, "other");
  EXPECT_THAT(Diagnose(report).text, HasSubstr("Title of neuron/throttled: 3.5 %"));
}

// Whatever is recorded of the host: there is no device that could idle.
TEST(Diagnosis, OfARunWithoutOperatorsSpeaksOfNoDevice) {
  Report report = RunOf(1);
  report.profile.devices.clear();
  AddMetric(report, metric::kGpuIdleMean.text(), {}, Unit::kShare);
  AddMetric(report, metric::kBreakdownOther.text(), 1.0, Unit::kShare);
  EXPECT_EQ(Diagnose(report).text, "CPU run: no device work was recorded.");
}

TEST(Diagnosis, PraisesARunThatNeedsNothing) {
  Report report = RunOf(1);
  report.plan.emplace();
  AddMetric(report, metric::kBreakdownTensorCoreKernel.text(), 0.87, Unit::kShare);
  AddMetric(report, metric::kBreakdownOtherKernel.text(), 0.07, Unit::kShare);
  AddMetric(report, metric::kBreakdownOther.text(), 0.06, Unit::kShare);
  AddMetric(report, metric::kTensorCoreEfficiency.text(), 1.0, Unit::kShare);
  const Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.bottleneck, "none");
  EXPECT_EQ(diagnosis.text,
            "Nothing found: kernels run for 94.0\u202f% of the 100\u202fms iteration.");
}

// A naive matmul in plain CUDA keeps the device as busy as a good one.
TEST(Diagnosis, DoubtsKernelsOfUnknownWork) {
  Report report = RunOf(1);
  AddMetric(report, metric::kBreakdownOtherKernel.text(), 0.97, Unit::kShare);
  report.plan.emplace().floor.absent_because =
      "no operator's FLOPs can be counted: needs input shapes";
  report.plan->floor.counted = {0.0, Unit::kShare, "0 %", ""};
  EXPECT_EQ(Diagnose(report).bottleneck, "unknown");
  EXPECT_EQ(
      Diagnose(report).text,
      "Unknown: kernels run for 97.0\u202f% of the 100\u202fms iteration, but whether they are "
      "fast is unknown: no operator's FLOPs can be counted.");
  // Information, such as GPUs without work, does not make them fast.
  AddFinding(report, "gpu/unused", State::kInfo, 0);
  EXPECT_EQ(Diagnose(report).bottleneck, "unknown");
  // Where nothing can be simulated, what their work is has not been asked.
  report.plan->floor = {};
  report.findings.clear();
  report.plan->floor.absent_because = "some threads launch work without a visible reason to wait";
  EXPECT_THAT(Diagnose(report).text,
              HasSubstr("but the saving of a change is unknown: some threads"));
}

TEST(Diagnosis, DoubtsKernelsOfAnUnnamedDevice) {
  Report report = RunOf(3);
  report.profile.devices = {{0, 0, ""}};
  AddMetric(report, metric::kBreakdownOtherKernel.text(), 0.97, Unit::kShare);
  EXPECT_EQ(Diagnose(report).bottleneck, "unknown");
  EXPECT_THAT(Diagnose(report).text, HasSubstr("the profile does not name its GPU"));
  report.import.emplace_back().name = "truncated";
  EXPECT_THAT(Diagnose(report).text, HasSubstr("unknown: the file ends early."));
  report.profile.devices.front().name = "NVIDIA H100";
  EXPECT_EQ(Diagnose(report).bottleneck, "none");
}

TEST(Diagnosis, NamesTheLargestPartWithoutKernels) {
  Report report = RunOf(2);
  AddMetric(report, metric::kBreakdownOtherKernel.text(), 0.5, Unit::kShare);
  AddMetric(report, metric::kBreakdownDataloader.text(), 0.2, Unit::kShare);
  AddMetric(report, metric::kBreakdownCpu.text(), 0.3, Unit::kShare);
  EXPECT_EQ(Diagnose(report).text,
            "Host-bound: the GPU idles while operators run on the host for 30.0\u202f% of each "
            "100\u202fms iteration.");
  // Where a finding knows the cause of idle time, it says more.
  AddFinding(report, "gpu/idle", State::kError, 0).message = "It idles. Cause: x. The rest.";
  EXPECT_EQ(Diagnose(report).text, "Idle: It idles. Cause: x.");
  EXPECT_EQ(Diagnose(Report{}).text, "");
}

TEST(Diagnosis, NamesReasonOfUndecidedVerdict) {
  Report report = RunOf(2);
  report.verdict.status = State::kNoVerdict;
  report.verdict.reasons = {"gpu.idle.mean is uncertain"};
  GateRow& row = report.gate.emplace_back();
  row.metric = "gpu.idle.mean";
  row.title = "GPU idle time";
  EXPECT_EQ(Diagnose(report).text, "No verdict: GPU idle time is uncertain.");
}

TEST(Diagnosis, EndsALongReasonWithAClause) {
  const auto text_of = [](const std::string& reason) {
    Report report = RunOf(2);
    report.verdict.status = State::kNoVerdict;
    report.verdict.reasons = {reason};
    return Diagnose(report).text;
  };
  EXPECT_EQ(text_of("the baseline contains only this profile; a run compared with itself shows no "
                    "change"),
            "No verdict: the baseline contains only this profile; a run compared with itself shows "
            "no change.");
  EXPECT_EQ(text_of("baseline history:main~10: no comparable run among the 6 runs of main: runs 1, "
                    "2, 3, 4 and 2 more (other work)"),
            "No verdict: baseline history:main~10: no comparable run among the 6 runs of main.");
  EXPECT_EQ(text_of("unlinked: 83 % of the time has no iteration, and its launches were not "
                    "recorded, so the rest says nothing"),
            "No verdict: unlinked: 83 % of the time has no iteration, and its launches were not "
            "recorded.");
  EXPECT_EQ(text_of("total +64 % with the first 10 iterations (on average 2.9 times as long; the "
                    "baseline's start costs nothing), −0.1 % without. Find the cause"),
            "No verdict: total +64 % with the first 10 iterations.");
  EXPECT_EQ(text_of("one two three four five six seven eight nine ten eleven twelve thirteen "
                    "fourteen fifteen sixteen seventeen eighteen nineteen"),
            "No verdict: one two three four five six seven eight nine ten eleven twelve thirteen "
            "fourteen fifteen sixteen seventeen eighteen …");
}

TEST(Diagnosis, NoReasonIsOnlyAName) {
  Report report = RunOf(2);
  report.verdict.status = State::kNoVerdict;
  GateRow& row = report.gate.emplace_back();
  row.metric = "serve.ttft.median";
  row.title = "Time to first token, median";
  report.verdict.reasons = {
      "serve.ttft.median: 120 requests were completed, in the baseline 200. If the work changed "
      "on purpose: `Profgauge-Accept: work: REASON` [baseline/less-work]"};
  EXPECT_EQ(Diagnose(report).text,
            "No verdict: Time to first token, median: 120 requests were completed, in the baseline "
            "200.");
}

// A run that fails by `change` of its median iteration time, and could be faster by a plan.
Report FailedByChange(const std::string& change) {
  Report report = RunOf(20);
  report.verdict.status = State::kFail;
  AddStep(report, "launch/bound", true, kIteration / 2);
  AddFinding(report, "launch/bound", State::kWarn, kIteration / 2);
  GateRow& row = report.gate.emplace_back();
  row.metric = "iteration.time.median";
  row.title = "Median iteration time";
  row.measured = {kIteration, Unit::kTime, "100 ms", ""};
  row.limit = "≤ +5.0 %";
  row.change = {0.08, Unit::kShare, change, ""};
  row.status = row.level = State::kError;
  return report;
}

TEST(Diagnosis, IsTheChangeThatFailsARun) {
  const Report report = FailedByChange("+8.0 %");
  EXPECT_EQ(Diagnose(report).bottleneck, "regression");
  EXPECT_EQ(Diagnose(report).text,
            "Worse than the baseline: Median iteration time +8.0 %, limit ≤ +5.0 %.");
}

TEST(Diagnosis, IsTheErrorThatNoRowOfThePlanRemoves) {
  Report report = FailedByChange("+8.0 %");
  report.gate.clear();
  AddFinding(report, "iteration/variance", State::kError, 0);
  EXPECT_THAT(Diagnose(report).text, ::testing::StartsWith("Title of iteration/variance: 3.5 %"));
  report.findings.front().level = report.findings.front().status = State::kError;
  EXPECT_EQ(Diagnose(report).bottleneck, "launch-bound");
}

TEST(Diagnosis, TotalIsAllIterations) {
  Report report = FailedByChange("total +22.9 %");
  ComparedMetric& metric = report.comparison.emplace().metrics.emplace_back();
  metric.metric = report.gate.front().metric;
  metric.result = State::kFail;
  metric.change = {0.005, Unit::kShare, "+0.5 %", ""};
  metric.total = {0.229, Unit::kShare, "+22.9 %", ""};
  metric.total_limit = {0.05, Unit::kShare, "+5.0 %", ""};
  EXPECT_EQ(Diagnose(report).text, "Worse than the baseline: all iterations together take " +
                                       FormatShare(0.229) + " longer, limit ≤ +5.0 %.");
}

TEST(Diagnosis, NamesThePartThatGrewMost) {
  Report report = FailedByChange("+8.0 %");
  AddMetric(report, metric::kBreakdownDataloader.text(), 0.2, Unit::kShare);
  report.comparison.emplace().delta = 8'000'000;
  ComparisonStep& step = report.comparison->waterfall.emplace_back();
  step.name = "dataloader";
  step.delta = 7'000'000;
  EXPECT_THAT(Diagnose(report).text, HasSubstr("The largest part: "));
  EXPECT_THAT(Diagnose(report).text, HasSubstr(", +7.00\u202fms per iteration."));
  step.delta = 3'000'000;
  EXPECT_THAT(Diagnose(report).text, Not(HasSubstr("The largest part: ")));
}

TEST(Diagnosis, IsTheFindingOfAnError) {
  Report report = FailedByChange("+8.0 %");
  report.findings.front().level = report.findings.front().status = State::kError;
  EXPECT_EQ(Diagnose(report).bottleneck, "launch-bound");
}

}  // namespace
}  // namespace profgauge::report
