// Plans of profiles: ours, of which the truth was measured, and others' where they are there.
#include "rules/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/replay.h"
#include "base/metric_id.h"
#include "readers/load.h"
#include "report/build_sections.h"
#include "rules/facts.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge {
namespace {

const std::string kRoot = PROFGAUGE_SOURCE_DIR;

// A run, its findings, and the plan.
struct Planned {
  Policy policy;
  std::vector<Profile> ranks;
  Replayable run;
  std::optional<Rulebook> book;
  Evaluation evaluation;
  Plan plan;

  std::vector<std::string> StepRules() const {
    std::vector<std::string> rules;
    for (const PlanStep& step : plan.steps) {
      rules.push_back(evaluation.findings[step.findings.front()].rule->id);
    }
    return rules;
  }
};

std::unique_ptr<Planned> PlanOf(const std::string& path, int threads = 1) {
  auto out = std::make_unique<Planned>();
  ReadOptions options;
  options.threads = threads;
  auto ranks = ReadRun({path}, options);
  EXPECT_TRUE(ranks.has_value()) << path;
  if (!ranks) return out;
  out->ranks = *std::move(ranks);
  out->policy = *LoadPolicy("builtin:recommended");
  out->book = *LoadRulebook(out->policy, {});
  auto run = AnalyzeForReplay(out->ranks, {});
  EXPECT_TRUE(run.has_value());
  out->run = *std::move(run);
  out->evaluation =
      out->book->Evaluate(out->run.analysis, CollectFacts(out->ranks, out->run.analysis), false,
                          out->run.replayer.get());
  out->plan = out->book->PlanOf(out->evaluation, out->run.analysis, out->run.replayer.get());
  out->book->Promote(out->plan, out->evaluation);
  return out;
}

void ExpectSound(const Planned& planned) {
  const Plan& plan = planned.plan;
  double time = plan.start;
  for (const PlanStep& step : plan.steps) {
    EXPECT_GE(step.saves, 0.01 * plan.start);
    EXPECT_NEAR(step.time, std::max(0.0, time - step.saves), 1);
    EXPECT_LE(step.time, time);
    time = step.time;
  }
  if (!plan.steps.empty()) {
    EXPECT_NEAR(plan.steps.front().alone, plan.steps.front().saves, 1);
  }
  for (const PlanStep& step : plan.steps) {
    if (step.at_most) {
      EXPECT_LE(step.saves, *step.at_most + 1);
      EXPECT_LE(step.alone, *step.at_most + 1);
    }
    const Finding& finding = planned.evaluation.findings[step.findings.front()];
    if (step.findings.size() > 1 || !Fired(finding.status)) continue;
    // It says that it saves what the plan says, and no less at most.
    ASSERT_TRUE(finding.gain.has_value() && finding.gain_limit.has_value()) << finding.key;
    EXPECT_NEAR(*finding.gain, std::max(0.0, step.alone), 1) << finding.key;
    EXPECT_LE(step.saves, *finding.gain_limit + 1) << finding.key;
    EXPECT_LE(*finding.gain, *finding.gain_limit) << finding.key;
  }
  if (plan.floor.absent_because.empty()) {
    EXPECT_LE(plan.floor.time, plan.floor.reachable);
    EXPECT_GE(plan.floor.counted, 0.75);
    if (!plan.steps.empty()) {
      EXPECT_LE(plan.floor.time, plan.end());
    }
  }
}

TEST(Plan, ReportsSavingOfACudaGraph) {
  // Measured: 3.1 ms as a graph (examples/h200/README.md).
  const auto planned = PlanOf(kRoot + "/examples/h200/bf16.pt.trace.json.gz");
  ExpectSound(*planned);
  ASSERT_FALSE(planned->plan.steps.empty());
  EXPECT_EQ(planned->StepRules().front(), "host/launch-bound");
  EXPECT_GE(planned->plan.steps.front().time, 2.9e6);
  EXPECT_LE(planned->plan.steps.front().time, 3.3e6);
}

TEST(Plan, SingleChangeEqualsWhatIf) {
  const auto planned = PlanOf(kRoot + "/examples/slow.pt.trace.json.gz");
  ExpectSound(*planned);
  ASSERT_GE(planned->plan.steps.size(), 3u);
  EXPECT_EQ(planned->StepRules().front(), "io/dataloader-bound");
  for (const CompiledRule& rule : planned->book->compiled()) {
    if (rule.rule->id != "io/dataloader-bound") continue;
    const auto alone = ScenarioRunner(*planned->run.replayer).Run(*rule.scenario);
    ASSERT_TRUE(alone.prediction.has_value());
    EXPECT_NEAR(planned->plan.steps.front().saves,
                alone.prediction->recorded_time - alone.prediction->iteration_time, 1);
  }
}

TEST(Plan, WithoutScenariosThereIsNone) {
  const auto planned =
      PlanOf(kRoot + "/examples/graphs/capture_traces/graph_capture_rank_0.pt.trace.json.gz");
  EXPECT_TRUE(planned->plan.steps.empty());
  EXPECT_FALSE(planned->plan.absent_because.empty());
  AddPlanMetrics(planned->plan, planned->run.analysis);
  const Metric* share = planned->run.analysis.Find(metric::kPlanGainShare);
  ASSERT_NE(share, nullptr);
  EXPECT_TRUE(IsAbsent(share->value));
  EXPECT_EQ(share->absent_because, planned->plan.absent_because);
}

TEST(Plan, InMetricsAndReport) {
  const auto planned = PlanOf(kRoot + "/examples/h200/fp32.pt.trace.json.gz");
  const Plan& plan = planned->plan;
  ExpectSound(*planned);
  ASSERT_GE(plan.steps.size(), 2u);
  AddPlanMetrics(plan, planned->run.analysis);
  const auto number = [&](MetricId id) {
    return AsNumber(planned->run.analysis.Find(id)->value, -1);
  };
  EXPECT_EQ(number(metric::kPlanSteps), static_cast<double>(plan.steps.size()));
  EXPECT_NEAR(number(metric::kFloorTime), plan.floor.time, 1);
  EXPECT_NEAR(number(metric::kFloorShare), plan.floor.time / plan.start, 1e-9);
  EXPECT_NEAR(number(metric::kPlanEndTime), plan.steps.back().time, 1);
  EXPECT_NEAR(number(metric::kPlanGainShare), (plan.start - plan.end()) / plan.start, 1e-9);
  EXPECT_NEAR(number(metric::kPlanFirstGainShare), plan.steps.front().saves / plan.start, 1e-9);
  const report::Plan words =
      report::BuildPlan(plan, planned->evaluation, DeviceWordsOf(Accelerator::kNvidia));
  ASSERT_EQ(words.steps.size(), plan.steps.size());
  EXPECT_TRUE(words.steps.front().fired);
  EXPECT_NE(words.steps.front().change.find("TF32"), std::string::npos);
  EXPECT_FALSE(words.steps[1].fired);  // Launches become the limit.
  EXPECT_TRUE(words.steps[1].needs_earlier);
}

TEST(Plan, PaddingSavesOnceLaunchesDo) {
  const auto planned = PlanOf(kRoot + "/examples/h200/bf16_odd_vocabulary.pt.trace.json.gz");
  const std::vector<std::string> rules = planned->StepRules();
  const auto found = std::ranges::find(rules, "tensorcore/unaligned-loads");
  ASSERT_NE(found, rules.end());
  const PlanStep& step = planned->plan.steps[found - rules.begin()];
  EXPECT_NEAR(step.alone, 0, 1);
  EXPECT_GE(step.saves, 0.6e6);
  EXPECT_LE(step.saves, 0.9e6);
}

// Measured: TF32 takes 7.0 ms from the matmuls (examples/h200/README.md).
TEST(Plan, BoundIsWhatTheWorkGetsShorter) {
  const auto planned = PlanOf(kRoot + "/examples/h200/fp32.pt.trace.json.gz");
  ASSERT_EQ(planned->StepRules().front(), "tensorcore/eligible-not-used");
  const PlanStep& step = planned->plan.steps.front();
  ASSERT_TRUE(step.at_most.has_value());
  EXPECT_GE(*step.at_most, 7.0e6);
  EXPECT_LE(*step.at_most, 7.4e6);
}

TEST(Plan, FindingsSayWhatTheirStepsSave) {
  std::vector<std::string> paths = {kRoot + "/examples/ddp"};
  for (const char* folder : {"/examples", "/tests/cases"}) {
    for (const auto& some : std::filesystem::recursive_directory_iterator(kRoot + folder)) {
      const std::string path = some.path().string();
      if (path.ends_with(".json.gz") || path.ends_with("trace.json")) paths.push_back(path);
    }
  }
  std::size_t steps = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    if (!ReadRun({path}, {}).has_value()) continue;
    const auto planned = PlanOf(path);
    ExpectSound(*planned);
    steps += planned->plan.steps.size();
  }
  EXPECT_GT(steps, 20u);
}

// In each iteration of this run a copy of one rank runs beside a reduction that waits for it.
TEST(Plan, BoundsOfCopiesBesideReductions) {
  const auto planned = PlanOf(kRoot + "/examples/ddp");
  ASSERT_FALSE(planned->plan.steps.empty());
  const Finding& copies = planned->evaluation.findings[planned->plan.steps[0].findings[0]];
  EXPECT_EQ(copies.key, "host/exposed-copies");
  EXPECT_NEAR(*copies.gain, 1.597e6, 1e3);
  EXPECT_GE(*copies.gain_limit, *copies.gain);
}

TEST(Plan, DoesNotDependOnThreads) {
  const auto one = PlanOf(kRoot + "/examples/slow.pt.trace.json.gz", 1);
  const auto many = PlanOf(kRoot + "/examples/slow.pt.trace.json.gz", 8);
  ASSERT_EQ(one->plan.steps.size(), many->plan.steps.size());
  for (std::size_t i = 0; i < one->plan.steps.size(); ++i) {
    EXPECT_EQ(one->plan.steps[i].findings, many->plan.steps[i].findings);
    EXPECT_EQ(one->plan.steps[i].time, many->plan.steps[i].time);
  }
}

// The saving of the changes together, found by hand with what-if.
TEST(Plan, EightRanksAndAVolta) {
  const std::string data = kRoot + "/../shared/data/kineto/";
  const std::string volta = data + "hta/df_index_resolver/df_index_resolver.json.gz";
  if (!std::filesystem::exists(volta)) GTEST_SKIP() << "needs ../shared/data";
  const auto planned = PlanOf(volta);
  ExpectSound(*planned);
  const std::vector<std::string> order = {"host/launch-bound", "comm/exposed",
                                          "tensorcore/eligible-not-used",
                                          "compute/unfused-elementwise", "compute/device-copies"};
  ASSERT_EQ(planned->StepRules(), order);
  EXPECT_NEAR(planned->plan.steps[0].time, 205.2e6, 2e6);
  EXPECT_NEAR(planned->plan.steps[1].time, 133.7e6, 1.4e6);
  EXPECT_LE(planned->plan.steps[2].time, 75e6);
  EXPECT_LT(planned->plan.steps[1].alone, 0.01 * planned->plan.start);
  ASSERT_TRUE(planned->plan.without_profiler.has_value());
  EXPECT_NEAR(*planned->plan.without_profiler, 206.1e6, 3e6);
  const auto ranks = PlanOf(data + "dlrm_8ranks");
  ExpectSound(*ranks);
  ASSERT_GE(ranks->plan.steps.size(), 2u);
  EXPECT_NEAR(ranks->plan.steps[0].time, 11.5e6, 0.2e6);
  EXPECT_NEAR(ranks->plan.steps[1].time, 5.6e6, 0.2e6);
}

}  // namespace
}  // namespace profgauge
