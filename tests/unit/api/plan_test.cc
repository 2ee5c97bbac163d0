// Plans of profiles: ours, of which the truth was measured, and others' where they are there.
#include "rules/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/metric_id.h"
#include "planned.h"
#include "readers/load.h"
#include "report/build_plan.h"
#include "report/build_sections.h"

namespace profgauge {
namespace {

const std::string kRoot = PROFGAUGE_SOURCE_DIR;

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
  for (const rules::CompiledRule& rule : planned->book->compiled()) {
    if (rule.rule->id != "io/dataloader-bound") continue;
    const auto alone = rules::ScenarioRunner(*planned->run.replayer).Run(*rule.scenario);
    ASSERT_TRUE(alone.prediction.has_value());
    EXPECT_NEAR(planned->plan.steps.front().claim.saves,
                alone.prediction->recorded_time - alone.prediction->iteration_time, 1);
  }
}

TEST(Plan, WithoutScenariosThereIsNone) {
  const auto planned = PlanOf(kRoot + "/examples/h200/steps_jax.xplane.pb.gz");
  EXPECT_TRUE(planned->plan.steps.empty());
  EXPECT_FALSE(planned->plan.absent_because.empty());
  rules::AddPlanMetrics(planned->plan, planned->run.analysis);
  const analysis::Metric* share = planned->run.analysis.Find(metric::kPlanGainShare);
  ASSERT_NE(share, nullptr);
  EXPECT_TRUE(IsAbsent(share->value));
  EXPECT_EQ(share->absent_because, planned->plan.absent_because);
}

TEST(Plan, InMetricsAndReport) {
  const auto planned = PlanOf(kRoot + "/examples/h200/fp32.pt.trace.json.gz");
  const rules::Plan& plan = planned->plan;
  ExpectSound(*planned);
  ASSERT_GE(plan.steps.size(), 2u);
  rules::AddPlanMetrics(plan, planned->run.analysis);
  const auto number = [&](MetricId id) {
    return AsNumber(planned->run.analysis.Find(id)->value, -1);
  };
  EXPECT_EQ(number(metric::kPlanSteps), static_cast<double>(plan.steps.size()));
  EXPECT_NEAR(number(metric::kFloorTime), plan.floor.time, 1);
  EXPECT_NEAR(number(metric::kFloorShare), plan.floor.time / plan.start, 1e-9);
  EXPECT_NEAR(number(metric::kPlanEndTime), plan.steps.back().time, 1);
  EXPECT_NEAR(number(metric::kPlanGainShare), (plan.start - plan.end()) / plan.start, 1e-9);
  EXPECT_NEAR(number(metric::kPlanFirstGainShare), plan.steps.front().claim.saves / plan.start,
              1e-9);
  const report::Plan words =
      report::BuildPlan(plan, planned->evaluation, DeviceWordsOf(Accelerator::kNvidia));
  ASSERT_EQ(words.steps.size(), plan.steps.size());
  EXPECT_TRUE(words.steps.front().fired);
  EXPECT_NE(words.steps.front().change.find("TF32"), std::string::npos);
  EXPECT_FALSE(words.steps[1].fired);  // Launches become the limit.
  EXPECT_TRUE(words.steps[1].needs_earlier);
}

TEST(Plan, StepsNameAllFindingsOfTheirRules) {
  rules::Rule reductions, launches;
  reductions.id = "comm/exposed-allreduce";
  launches.id = "host/launch-bound";
  rules::Evaluation evaluation;
  const auto add = [&](const rules::Rule& rule, const std::string& group,
                       rules::FindingStatus status) {
    rules::Finding& finding = evaluation.findings.emplace_back();
    finding.rule = &rule;
    finding.status = status;
    finding.key = rule.id + group;
  };
  add(reductions, "@rank=0", rules::FindingStatus::kWarn);
  add(reductions, "@rank=3", rules::FindingStatus::kInfo);
  add(reductions, "@rank=5", rules::FindingStatus::kGood);
  add(launches, "", rules::FindingStatus::kGood);
  rules::Plan plan;
  plan.start = 100;
  plan.steps = {{{0}, 60, {}, {rules::Basis::kSimulated, 40, {}, {}}, 40},
                {{3}, 50, {}, {rules::Basis::kSimulated, 10, {}, {}}, 0}};
  plan.no_effect = {0};
  const report::Plan made =
      report::BuildPlan(plan, evaluation, DeviceWordsOf(Accelerator::kNvidia));
  const std::vector<std::string> keys = {"comm/exposed-allreduce@rank=0",
                                         "comm/exposed-allreduce@rank=3"};
  EXPECT_EQ(made.steps[0].findings, keys);
  EXPECT_EQ(made.steps[0].rules, std::vector<std::string>{reductions.id});
  EXPECT_EQ(made.steps[1].findings, std::vector<std::string>{launches.id});
  EXPECT_EQ(made.no_effect, keys);
}

TEST(Plan, PaddingSavesOnceLaunchesDo) {
  const auto planned = PlanOf(kRoot + "/examples/h200/bf16_odd_vocabulary.pt.trace.json.gz");
  const std::vector<std::string> rules = planned->StepRules();
  const auto found = std::ranges::find(rules, "tensorcore/unaligned-loads");
  ASSERT_NE(found, rules.end());
  const rules::PlanStep& step = planned->plan.steps[found - rules.begin()];
  EXPECT_NEAR(step.alone, 0, 1);
  EXPECT_GE(step.claim.saves, 0.6e6);
  EXPECT_LE(step.claim.saves, 0.9e6);
}

TEST(Plan, FindingsSayWhatTheirStepsSave) {
  std::vector<std::string> paths = {kRoot + "/examples/ddp"};
  for (const std::string& folder : {kRoot + "/examples", std::string(PROFGAUGE_CASES_DIR)}) {
    for (const auto& some : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string path = some.path().string();
      if (path.ends_with(".json.gz") || path.ends_with("trace.json")) paths.push_back(path);
    }
  }
  std::size_t steps = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    if (!readers::ReadRun({path}, {}).has_value()) continue;
    const auto planned = PlanOf(path);
    ExpectSound(*planned);
    steps += planned->plan.steps.size();
  }
  EXPECT_GT(steps, 20u);
}

// A rank computes longer than its copies are exposed, so all of them can be hidden.
TEST(Plan, CopiesSaveAsMuchAsComputationHides) {
  const auto planned = PlanOf(kRoot + "/examples/ddp");
  const auto copies = std::ranges::find_if(
      planned->evaluation.findings,
      [](const rules::Finding& finding) { return finding.key == "host/exposed-copies"; });
  ASSERT_NE(copies, planned->evaluation.findings.end());
  EXPECT_TRUE(copies->claim.is_simulated());
  EXPECT_NEAR(copies->claim.saves, 1.597e6, 1e3);
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

// The saving of the changes together, found by hand with what-if. Without the profiler the start
// is less by 4 us for each event in its gaps.
TEST(Plan, EightRanksAndAVolta) {
  const std::string data = kRoot + "/../shared/data/kineto/";
  const std::string volta = data + "hta/df_index_resolver/df_index_resolver.json.gz";
  if (!std::filesystem::exists(volta)) GTEST_SKIP() << "needs ../shared/data";
  const auto planned = PlanOf(volta);
  ExpectSound(*planned);
  // One rank's profile does not show how much of its communication overlap could hide.
  const std::vector<std::string> order = {"host/launch-bound", "tensorcore/eligible-not-used",
                                          "compute/unfused-elementwise"};
  ASSERT_EQ(planned->StepRules(), order);
  EXPECT_NEAR(planned->plan.steps[0].time, 205.2e6, 2e6);
  EXPECT_NEAR(planned->plan.steps[1].time, 145e6, 1.5e6);
  EXPECT_LE(planned->plan.steps[2].time, 132e6);
  ASSERT_TRUE(planned->plan.without_profiler.has_value());
  EXPECT_NEAR(*planned->plan.without_profiler, 311.2e6, 3e6);
  const auto ranks = PlanOf(data + "dlrm_8ranks");
  ExpectSound(*ranks);
  ASSERT_GE(ranks->plan.steps.size(), 2u);
  EXPECT_NEAR(ranks->plan.steps[0].time, 11.5e6, 0.2e6);
  EXPECT_NEAR(ranks->plan.steps[1].time, 5.6e6, 0.2e6);
}

}  // namespace
}  // namespace profgauge
