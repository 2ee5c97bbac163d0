// Findings that only inform are warnings where their step of the plan saves much.
#include <gtest/gtest.h>

#include <vector>

#include "rules/plan.h"

namespace profgauge::rules {
namespace {

struct Promoted {
  double saves = 0;  ///< Saved part of an iteration of 100.
  FindingStatus status = FindingStatus::kInfo;
  RuleSetting::Choice choice = RuleSetting::Choice::kDefault;
};

FindingStatus StatusWith(const Promoted& of) {
  Rule rule;
  rule.id = "a/b";
  rule.level = Level::kInfo;
  std::vector<CompiledRule> rules(1);
  rules[0].rule = &rule;
  rules[0].active.choice = of.choice;
  std::vector<Finding> findings(1);
  findings[0].rule = &rule;
  findings[0].status = of.status;
  Plan plan;
  plan.start = 100;
  plan.steps.push_back({{0}, 100 - of.saves, of.saves, of.saves});
  PromoteSteps(plan, rules, findings);
  return findings[0].status;
}

TEST(PromoteSteps, FromATenthOfAnIterationOn) {
  EXPECT_EQ(StatusWith({.saves = 10}), FindingStatus::kWarn);
  EXPECT_EQ(StatusWith({.saves = 9.9}), FindingStatus::kInfo);
}

TEST(PromoteSteps, OnlyInformationalFindings) {
  EXPECT_EQ(StatusWith({.saves = 50, .status = FindingStatus::kError}), FindingStatus::kError);
  EXPECT_EQ(StatusWith({.saves = 50, .status = FindingStatus::kPass}), FindingStatus::kPass);
  EXPECT_EQ(StatusWith({.saves = 50, .status = FindingStatus::kWaived}), FindingStatus::kWaived);
}

TEST(PromoteSteps, ALevelOfThePolicyStays) {
  EXPECT_EQ(StatusWith({.saves = 50, .choice = RuleSetting::Choice::kInfo}), FindingStatus::kInfo);
}

}  // namespace
}  // namespace profgauge::rules
