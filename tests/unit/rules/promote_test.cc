// Findings that only inform are warnings where they save much.
#include <gtest/gtest.h>

#include <vector>

#include "rules/rank.h"
#include "rules/rule_run.h"

namespace profgauge::rules {
namespace {

struct Promoted {
  double saves = 0;  ///< Saved part of an iteration of 100.
  FindingStatus status = FindingStatus::kInfo;
  RuleSetting::Choice choice = RuleSetting::Choice::kDefault;
  Basis basis = Basis::kSimulated;
  bool is_symptom = false;
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
  findings[0].claim.basis = of.basis;
  findings[0].worth = of.saves / 100;
  if (of.is_symptom) findings[0].cause = 0;
  PromoteLargeSavings(rules, findings);
  return findings[0].status;
}

TEST(PromoteLargeSavings, FromATenthOfAnIterationOn) {
  EXPECT_EQ(StatusWith({.saves = 10}), FindingStatus::kWarn);
  EXPECT_EQ(StatusWith({.saves = 9.9}), FindingStatus::kInfo);
}

TEST(PromoteLargeSavings, OnlyInformationalFindings) {
  EXPECT_EQ(StatusWith({.saves = 50, .status = FindingStatus::kError}), FindingStatus::kError);
  EXPECT_EQ(StatusWith({.saves = 50, .status = FindingStatus::kGood}), FindingStatus::kGood);
  EXPECT_EQ(StatusWith({.saves = 50, .status = FindingStatus::kWaived}), FindingStatus::kWaived);
}

TEST(PromoteLargeSavings, ALevelOfThePolicyStays) {
  EXPECT_EQ(StatusWith({.saves = 50, .choice = RuleSetting::Choice::kInfo}), FindingStatus::kInfo);
}

TEST(PromoteLargeSavings, NoBoundsAndNoSymptoms) {
  EXPECT_EQ(StatusWith({.saves = 50, .basis = Basis::kAtMost}), FindingStatus::kInfo);
  EXPECT_EQ(StatusWith({.saves = 50, .is_symptom = true}), FindingStatus::kInfo);
}

}  // namespace
}  // namespace profgauge::rules
