// What a branch makes looser, and that the stricter of both holds.
#include "rules/policy_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rules/policy.h"
#include "rules/project.h"
#include "rules/rulebook.h"

namespace profgauge::rules {
namespace {

// With plain blanks.
std::string Plain(std::string text) {
  const std::string thin = "\u202f";
  for (std::size_t at = text.find(thin); at != text.npos; at = text.find(thin)) {
    text.replace(at, thin.size(), " ");
  }
  return text;
}

Policy PolicyOf(const std::string& text) {
  auto policy = ParsePolicy("schema: 1\n" + text, "policy.yaml");
  EXPECT_TRUE(policy) << RenderErrors(policy.error(), false);
  return policy ? *std::move(policy) : Policy{};
}

struct Held {
  std::vector<std::string> texts;
  Policy policy;
};

Held HoldTexts(const std::string& before, const std::string& now) {
  Held held{{}, PolicyOf(now)};
  for (const Loosened& one : HoldStricter(PolicyOf(before), held.policy)) {
    held.texts.push_back(Plain(LoosenedText(one)));
  }
  return held;
}

using Texts = std::vector<std::string>;

TEST(PolicyDiff, KeepsStricterLimits) {
  const std::string five = "baseline: {iteration.time.median: {max_increase: 5%}}\n";
  const std::string wide = "baseline: {iteration.time.median: {max_increase: 25%}}\n";
  const Held held = HoldTexts(five, wide);
  EXPECT_EQ(held.texts, Texts{"iteration.time.median +5 % → +25 %"});
  ASSERT_EQ(held.policy.baseline->limits.size(), 1U);
  EXPECT_DOUBLE_EQ(held.policy.baseline->limits[0].max_increase->value, 0.05);
  EXPECT_TRUE(HoldTexts(wide, five).texts.empty());
  EXPECT_TRUE(HoldTexts(five, five).texts.empty());
  EXPECT_EQ(HoldTexts(five, "fail_on: error\n").texts, Texts{"iteration.time.median +5 % → none"});
  EXPECT_EQ(HoldTexts(five + "thresholds: {gpu.idle.mean: {max: 30%}}\n",
                      five + "thresholds: {gpu.idle.mean: {max: 40%, level: warn}}\n")
                .texts,
            Texts{"gpu.idle.mean max 30 % → max 40 %, warn"});
  const std::string two = "thresholds: {gpu.idle.mean: {min: 1%, max: 30%}}\n";
  EXPECT_TRUE(HoldTexts(two, "thresholds: {gpu.idle.mean: {min: 2%, max: 20%}}\n").texts.empty());
}

TEST(PolicyDiff, KeepsStricterWords) {
  const Held held = HoldTexts("fail_on: warn\non_missing: fail\non_inconclusive: no_verdict\n",
                              "fail_on: never\non_missing: skip\non_inconclusive: pass\n");
  EXPECT_EQ(held.texts, (Texts{"fail_on warn → never", "on_missing fail → skip",
                               "on_inconclusive no_verdict → pass"}));
  EXPECT_EQ(held.policy.fail_on, FailOn::kWarn);
  EXPECT_EQ(held.policy.on_missing, OnMissing::kFail);
  EXPECT_NE(held.policy.hash, PolicyOf("fail_on: never\n").hash);
}

TEST(PolicyDiff, KeepsComparisonsAndCounts) {
  EXPECT_EQ(HoldTexts("iterations: {min: 20}\nranks: {expect: 8}\n"
                      "baseline: {noise_floor: 1%, missing: fail, min_runs: 5, kernels: "
                      "{max_increase: 3%}}\n",
                      "iterations: {min: 2}\nranks: {expect: 4, allow_missing: 1}\n"
                      "baseline: {noise_floor: 9%, missing: pass, min_runs: 1, match: any, "
                      "strictness: certain, anchor: off}\n")
                .texts,
            (Texts{"iterations.min 20 → 2", "ranks.expect 8 → 4", "ranks.allow_missing 0 → 1",
                   "baseline.kernels +3 % of parts over 0.1 %, warn → none",
                   "baseline.missing fail → pass", "baseline.min_runs 5 → 1",
                   "baseline.anchor on → off", "baseline.noise_floor 1 % → 9 %",
                   "baseline.strictness normal → certain", "baseline.match as usual → any"}));
}

TEST(PolicyDiff, KeepsRulesOn) {
  const Held held = HoldTexts("rules: {gpu/idle: {params: {warn: 10%}}}\nrequire: [gpu/idle]\n",
                              "rules: {\"io/*\": off, gpu/idle: {params: {warn: 20%}}}\n");
  ASSERT_GE(held.texts.size(), 3U);
  EXPECT_EQ(held.texts.front(), "rules: gpu/idle warn 10 % → 20 %");
  EXPECT_NE(std::ranges::find(held.texts, "rules: io/dataloader-bound default → off"),
            held.texts.end());
  EXPECT_EQ(held.texts.back(), "require gpu/idle → none");
  const auto book = LoadRulebook(held.policy, {{}, true});
  ASSERT_TRUE(book) << RenderErrors(book.error(), false);
  for (const CompiledRule& rule : book->compiled()) {
    if (rule.rule->id != "gpu/idle") continue;
    EXPECT_DOUBLE_EQ(rule.active.params.find("warn")->second.value, 0.1);
  }
  EXPECT_TRUE(HoldTexts("rules: {\"io/*\": off}\n", "rules: {gpu/idle: error}\n").texts.empty());
}

TEST(PolicyDiff, RefusesNewWaivers) {
  const std::string old = "waivers: [{rule: gpu/idle, reason: a, owner: b, expires: 2096-01-01}]\n";
  const std::string more =
      "waivers: [{rule: gpu/idle, reason: a, owner: b, expires: 2096-02-01}, {rule: gpu/small, "
      "reason: a, owner: b, expires: 2096-01-01}]\n";
  const Held held = HoldTexts(old, more);
  EXPECT_EQ(held.texts, (Texts{"waivers: gpu/idle until 2096-01-01 → until 2096-02-01",
                               "waivers: gpu/small none → until 2096-01-01"}));
  ASSERT_EQ(held.policy.waivers.size(), 1U);
  EXPECT_EQ(held.policy.waivers[0].expires, "2096-01-01");
  EXPECT_TRUE(HoldTexts(old, "fail_on: error\n").texts.empty());
}

TEST(PolicyDiff, SaysWhatCannotJudgeAnyMore) {
  Policy now = PolicyOf("fail_on: error\n");
  const auto loosened = HoldStricter(PolicyOf("rule_files: [nowhere/of-ours.yaml]\n"), now);
  ASSERT_EQ(loosened.size(), 1U);
  EXPECT_FALSE(loosened[0].is_held);
}

TEST(PolicyDiff, KeepsJobsOfConfiguration) {
  const auto parsed = [](const std::string& text) {
    auto project = ParseProject("schema: 1\n" + text, "profgauge.yaml");
    EXPECT_TRUE(project) << RenderErrors(project.error(), false);
    return project ? *std::move(project) : Project{};
  };
  const Project before = parsed(
      "baseline: history:main~10\ndb: h.db\nlearning_until: 2096-01-01\njobs: [{name: a, inputs: "
      "[a/*, "
      "b/*]}, {name: c, inputs: c/*}]\n");
  Project now = parsed(
      "baseline: history:mine~10\ndb: my.db\nlearning_until: 2097-01-01\nbaseline_missing: "
      "pass\njobs: "
      "[{name: a, inputs: [a/*], learning_until: 2098-01-01}]\n");
  std::vector<std::string> texts;
  for (const Loosened& one : HoldStricter(before, now)) texts.push_back(Plain(LoosenedText(one)));
  EXPECT_EQ(texts, (Texts{"learning_until 2096-01-01 → 2097-01-01", "baseline_missing none → pass",
                          "db h.db → my.db", "baseline history:main~10 → history:mine~10",
                          "job a: learning_until 2096-01-01 → 2098-01-01",
                          "job a: inputs b/* → none", "jobs c → none"}));
  EXPECT_EQ(now.jobs.size(), 2U);
  EXPECT_EQ(now.jobs[0].inputs.size(), 2U);
  EXPECT_EQ(now.top.baselines[0].text, "history:main~10");
  EXPECT_EQ(now.jobs[0].own.learning_until->text, "2096-01-01");
  Project same = before;
  EXPECT_TRUE(HoldStricter(before, same).empty());
}

}  // namespace
}  // namespace profgauge::rules
