// Plans of files, and what holds of every plan.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/replay.h"
#include "readers/load.h"
#include "rules/facts.h"
#include "rules/plan.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge {

/// A run, its findings, and the plan.
struct Planned {
  rules::Policy policy;
  std::vector<Profile> ranks;
  analysis::Replayable run;
  std::optional<rules::Rulebook> book;
  rules::Evaluation evaluation;
  rules::Plan plan;

  std::vector<std::string> StepRules() const {
    std::vector<std::string> rules;
    for (const rules::PlanStep& step : plan.steps) {
      rules.push_back(evaluation.findings[step.findings.front()].rule->id);
    }
    return rules;
  }
};

inline std::unique_ptr<Planned> PlanOf(const std::string& path, int threads = 1) {
  auto out = std::make_unique<Planned>();
  readers::ReadOptions options;
  options.threads = threads;
  auto ranks = readers::ReadRun({path}, options);
  EXPECT_TRUE(ranks.has_value()) << path;
  if (!ranks) return out;
  out->ranks = *std::move(ranks);
  out->policy = *rules::LoadPolicy("builtin:recommended");
  out->book = *rules::LoadRulebook(out->policy, {});
  auto run = analysis::AnalyzeForReplay(out->ranks, {});
  EXPECT_TRUE(run.has_value());
  out->run = *std::move(run);
  const auto simulations = rules::SimulationsOf(out->run.replayer.get());
  out->evaluation =
      out->book->Evaluate(out->run.analysis, rules::CollectFacts(out->ranks, out->run.analysis),
                          false, simulations.get());
  out->plan = out->book->PlanOf(out->evaluation, out->run.analysis, simulations.get());
  return out;
}

/// What holds of every plan.
inline void ExpectSound(const Planned& planned) {
  const rules::Plan& plan = planned.plan;
  double time = plan.start, uncertain = 0;
  for (const rules::PlanStep& step : plan.steps) {
    EXPECT_TRUE(step.claim.is_simulated());
    EXPECT_GE(step.claim.saves, 0.01 * plan.start);
    EXPECT_NEAR(step.time, std::max(0.0, time - step.claim.saves), 1);
    // A time is as uncertain as the savings up to it. Where the profiler slows the host, the start
    // is a range and so is what a step saves of it: its time is one.
    uncertain += step.claim.saves - step.claim.least();
    EXPECT_LE(step.high.value_or(step.time) - step.time, uncertain + 1);
    EXPECT_TRUE(step.high || !step.claim.low || plan.without_profiler);
    EXPECT_LE(step.time, time);
    time = step.time;
  }
  if (!plan.steps.empty()) {
    EXPECT_NEAR(plan.steps.front().alone, plan.steps.front().claim.saves, 1);
  }
  for (const rules::PlanStep& step : plan.steps) {
    const rules::Finding& finding = planned.evaluation.findings[step.findings.front()];
    if (step.findings.size() > 1 || !rules::Fired(finding.status)) continue;
    // It says that it saves what the plan says.
    ASSERT_TRUE(finding.claim.is_simulated()) << finding.key;
    EXPECT_NEAR(finding.claim.saves, std::max(0.0, step.alone), 1) << finding.key;
  }
  if (plan.floor.absent_because.empty()) {
    EXPECT_LE(plan.floor.time, plan.floor.reachable);
    EXPECT_GE(plan.floor.counted, 0.75);
    if (!plan.steps.empty()) {
      EXPECT_LE(plan.floor.time, plan.end());
    }
  }
}

}  // namespace profgauge
