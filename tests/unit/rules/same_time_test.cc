// Findings about the same time are one cause and its symptoms, whatever a simulation saves of it.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "made_run.h"
#include "rules/rank.h"
#include "rules/rule_run.h"

namespace profgauge::rules {
namespace {

/// Whether a cause whose rule estimates `most`, and of which a simulation saves `simulated`,
/// explains a symptom of 100.
bool Explains(double most, double simulated) {
  std::array<Rule, 2> rules;
  rules[0].id = "a/cause";
  rules[1].id = "a/symptom";
  std::vector<CompiledRule> compiled(2);
  std::vector<Finding> findings(2);
  for (std::size_t i = 0; i < 2; ++i) {
    compiled[i].rule = findings[i].rule = &rules[i];
    findings[i].status = FindingStatus::kWarn;
  }
  compiled[0].symptoms = {1};
  findings[0].claim = {Basis::kSimulated, simulated, {}, {}};
  findings[0].about_time = most;
  findings[1].about_time = 100;
  RankFindings(compiled, {0, 1}, knowledge::TunableThresholds().findings_explained_share, findings);
  return findings[0].cause.has_value() || findings[1].cause.has_value();
}

TEST(SameTime, IsTheRulesTimeNotTheSaving) {
  EXPECT_TRUE(Explains(100, 100));
  EXPECT_TRUE(Explains(100, 0));
  EXPECT_FALSE(Explains(49, 49));
}

/// The shipped rules that explain idle time whose main cause is `cause`: 60 % of 80 % idle time,
/// beside 20 % of the other one.
std::vector<std::string> ExplainersOf(std::string_view cause, std::string_view other) {
  TestRun run;
  run.Set("gpu.idle.mean", 0.8)
      .Set("iteration.time.mean", Ms(100))
      .Set("profile.iterations", Whole(10))
      .Set("profile.ranks", Whole(1))
      .Set("profile.gpus", Whole(1))
      .Set("launch.queue_empty_share", 0.9)
      .Set("launch.count_per_iteration", 10'000.0)
      .Set("launch.wait_share", 0.8)
      .Set("kernel.count_per_iteration", 10'000.0);
  for (const std::string_view some :
       {"host_wait", "launch_latency", "dataloader", "sync", "memory_management", "module_loading",
        "capture", "queued", "other"}) {
    run.Set("gpu.idle_cause." + std::string(some), 0.0);
  }
  run.Set("gpu.idle_cause." + std::string(cause), 0.45);
  run.Set("gpu.idle_cause." + std::string(other), 0.35);
  run.Rows("gaps", {"gpu", "duration", "cause"}, {{Whole(0), Ms(1), Text("other")}});
  run.Rows("kernels_by_op", {"name", "calls", "time", "mean"},
           {{Text("k"), Whole(100'000), Ms(100), Whole(1000)}});
  run.Rows("iterations", {"index", "duration", "dataloader"}, {{Whole(0), Ms(100), Ms(35)}});
  run.Rows("api_calls", {"name", "kind", "calls", "time", "covered_time", "mean"},
           {{Text("cudaDeviceSynchronize"), Text("sync"), Whole(10), Ms(350), Ms(350), Ms(35)},
            {Text("cudaMalloc"), Text("memory"), Whole(100), Ms(350), Ms(350), Ms(3.5)}});
  auto rules = LoadBuiltinRules();
  if (!rules) return {RenderErrors(rules.error(), false)};
  const Policy policy;
  const auto active = SelectRules(*rules, policy, {});
  const auto compiled =
      active ? CompileRules(*active, policy) : tl::expected<std::vector<CompiledRule>, Errors>();
  if (!active || !compiled) return {"errors"};
  const Evaluation evaluation =
      EvaluateRules(*compiled, run.analysis(), {{"profile.iterations_by", Text("marker")}}, {});
  std::vector<std::string> found;
  for (const Finding& finding : evaluation.findings) {
    if (finding.rule->id != "gpu/idle" || !Fired(finding.status)) continue;
    found.push_back(finding.cause ? evaluation.findings[*finding.cause].rule->id : "none");
  }
  return found;
}

using Found = std::vector<std::string>;

TEST(SameTime, IdleTimeIsExplainedByTheRuleOfItsMainCause) {
  EXPECT_EQ(ExplainersOf("host_wait", "dataloader"), Found{"host/launch-bound"});
  EXPECT_EQ(ExplainersOf("dataloader", "host_wait"), Found{"io/dataloader-bound"});
  EXPECT_EQ(ExplainersOf("sync", "host_wait"), Found{"host/synchronizing-calls"});
  EXPECT_EQ(ExplainersOf("memory_management", "host_wait"), Found{"host/allocator-churn"});
}

TEST(SameTime, IdleTimeWithoutSuchARuleIsItsOwn) {
  EXPECT_EQ(ExplainersOf("module_loading", "host_wait"), Found{"none"});
  EXPECT_EQ(ExplainersOf("other", "host_wait"), Found{"none"});
}

}  // namespace
}  // namespace profgauge::rules
