#include "rules/rule.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "read_all.h"
#include "rules/selection.h"
#include "rules/waiver.h"

namespace profgauge::rules {
namespace {

namespace fs = std::filesystem;

/// Names in messages are as given, so the tests run inside the data folder.
class RuleFiles : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(fs::path(PROFGAUGE_SOURCE_DIR) / "tests/unit/rules/data/rules");
  }
  void TearDown() override { fs::current_path(before_); }

  fs::path before_;
};

TEST_F(RuleFiles, BadOneReportsAllMistakes) {
  const auto rules = LoadRules({"everything.bad.yaml"});
  ASSERT_FALSE(rules);
  const std::string text = RenderErrors(rules.error(), false);
  if (std::getenv("PROFGAUGE_UPDATE") != nullptr) std::ofstream("everything.bad.txt") << text;
  EXPECT_EQ(text, ReadAll("everything.bad.txt"));
}

TEST_F(RuleFiles, GoodOneSetsEveryKey) {
  const auto rules = LoadRules({"all_keys.good.yaml"});
  ASSERT_TRUE(rules) << RenderErrors(rules.error(), false);
  ASSERT_EQ(rules->rules.size(), 2U);
  EXPECT_EQ(rules->hash.size(), 32U);
  const Rule& rule = rules->rules[0];
  EXPECT_EQ(rule.id, "tensorcore/eligible-not-used");
  EXPECT_EQ(rules->Find("compute/no-tensor-cores"), &rule);
  EXPECT_EQ(rules->Find("tensorcore/other"), nullptr);
  EXPECT_EQ(rule.for_each.text, "kernel");
  EXPECT_EQ(rule.needs.size(), 2U);
  ASSERT_EQ(rule.params.size(), 3U);  // The limits come first.
  EXPECT_EQ(rule.params[1].name, "error");
  EXPECT_EQ(rule.params[1].default_value.value, 0.2);
  EXPECT_EQ(rule.params[2].name, "min_time");
  EXPECT_EQ(rule.params[2].default_value.value, 20e3);
  EXPECT_EQ(rule.params[2].default_value.unit, Unit::kTime);
  EXPECT_EQ(rule.group_by[0].text, "gpu.id");
  EXPECT_EQ(rule.report, GroupReport::kEach);
  EXPECT_EQ(rule.let[0].name, "wasted");
  EXPECT_EQ(rule.metric->show_as.kind, ShowAs::Kind::kPercent);
  EXPECT_EQ(rule.metric->error_above->text, "$error");
  EXPECT_EQ(rule.sure_when->text, "wasted > 1 ms");
  EXPECT_EQ(rule.gain->bound, GainBound::kUpper);
  EXPECT_EQ(rule.gain->why, "Guessed.");
  EXPECT_EQ(rule.explains[1].text, "launch/*");
  ASSERT_EQ(rule.explains_when.size(), 1U);
  EXPECT_EQ(rule.explains_when[0].name, "iteration/outliers");
  EXPECT_EQ(rule.explains_when[0].value.text, "metric > 10%");
  EXPECT_EQ(rule.message.front().text.text, "{{ metric }} of kernel time is wasted.");
  EXPECT_EQ(rule.advice.front().text.text, "Use them.");
  EXPECT_EQ(rule.evidence->limit, 15);
  EXPECT_TRUE(rule.evidence->columns[0].is_code);
  EXPECT_EQ(rule.evidence->columns[1].show_as.decimals, 1);
  EXPECT_EQ(rules->rules[1].level, Level::kInfo);

  // The second line of a folded expression is found in its own line.
  const Where where = rule.where->At(rule.where->text.find("$min_time"), 9);
  EXPECT_EQ(where.line, 15U);
  EXPECT_EQ(where.column, 27U);
}

TEST(Rules, BuiltinFilesLoad) {
  const auto rules = LoadBuiltinRules();
  EXPECT_TRUE(rules) << RenderErrors(rules.error(), false);
}

constexpr std::string_view kTwoRules = R"(
schema: 2
namespace: gpu
rules:
  - {id: idle, title: t, category: c, for_each: gpu, level: warn, message: m,
     formerly: [gpu/sleepy], params: {limit: {default: 10%, doc: d}}}
  - {id: busy, title: u, category: c, for_each: gpu, level: warn, message: m}
)";

RuleSet TwoRules() {
  auto file = ParseRuleFile(kTwoRules, "gpu.yaml");
  return {file->rules, ""};
}

TEST(SelectRules, SettingsApplyInOrder) {
  const RuleSet rules = TwoRules();
  const auto policy = ParsePolicy(
      "schema: 1\nrules:\n  gpu/*: off\n  gpu/sleepy: {level: error, params: {limit: 25%}}\n"
      "require: [gpu/idle]\n",
      "p.yaml");
  ASSERT_TRUE(policy);
  const auto active = SelectRules(rules, *policy, {*ParseDay("2026-11-21")});
  ASSERT_TRUE(active) << RenderErrors(active.error(), false);
  ASSERT_EQ(active->size(), 1U);
  EXPECT_EQ((*active)[0].rule->id, "gpu/idle");
  EXPECT_EQ((*active)[0].choice, RuleSetting::Choice::kError);
  EXPECT_EQ((*active)[0].params.at("limit").value, 0.25);
  EXPECT_TRUE((*active)[0].required);
}

// Mere parameters leave the level that was set before, and the other way round.
TEST(SelectRules, SettingsAddUp) {
  const RuleSet rules = TwoRules();
  const auto policy = ParsePolicy(
      "schema: 1\nrules:\n  gpu/*: error\n  gpu/idle: {params: {limit: 25%}}\n", "p.yaml");
  ASSERT_TRUE(policy);
  const auto active = SelectRules(rules, *policy, {*ParseDay("2026-11-21")});
  ASSERT_TRUE(active) << RenderErrors(active.error(), false);
  for (const ActiveRule& rule : *active) EXPECT_EQ(rule.choice, RuleSetting::Choice::kError);
}

TEST(SelectRules, UnmatchedPatternIsAnError) {
  const RuleSet rules = TwoRules();
  const auto policy = ParsePolicy(
      "schema: 1\n"
      "rules:\n"
      "  gpu/idel: off\n"
      "  cpu/*: warn\n"
      "  gpu/busy: off\n"
      "  gpu/idle: {params: {limti: 5%, limit: 5 ms}}\n"
      "require: [gpu/busy, gpu/x]\n"
      "waivers:\n"
      "  - {rule: gpu/ilde, reason: r, owner: o, expires: 2027-01-01}\n",
      "p.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  const auto active = SelectRules(rules, *policy, {*ParseDay("2026-11-21")});
  ASSERT_FALSE(active);
  EXPECT_EQ(RenderErrors(active.error(), false),
            "error: there is no rule `gpu/idel`\n"
            "  --> p.yaml:3:3\n"
            "  help: did you mean `gpu/idle`?   [policy/unknown-rule]\n"
            "\n"
            "error: no rule matches `cpu/*`\n"
            "  --> p.yaml:4:3\n"
            "  help: `profgauge rules list` shows all rules   [policy/unknown-rule]\n"
            "\n"
            "error: the rule `gpu/idle` has no parameter `limti`\n"
            "  --> p.yaml:6:30\n"
            "  help: did you mean `limit`?   [policy/unknown-param]\n"
            "\n"
            "error: `limit`: expected a share such as `75%`, found a time   [config/unit]\n"
            "  --> p.yaml:6:41\n"
            "\n"
            "error: the rule `gpu/busy` is required, but switched off   [policy/required-off]\n"
            "  --> p.yaml:7:11\n"
            "\n"
            "error: there is no rule `gpu/x`\n"
            "  --> p.yaml:7:21\n"
            "  help: `profgauge rules list` shows all rules   [policy/unknown-rule]\n"
            "\n"
            "error: there is no rule `gpu/ilde`\n"
            "  --> p.yaml:9:5\n"
            "  help: did you mean `gpu/idle`?   [policy/unknown-rule]\n");
}

// A limit by a rule's parameter is one all the same: no share of a whole is above 100 %.
TEST(SelectRules, UnreachableParameterIsAnError) {
  const auto rules = LoadBuiltinRules();
  ASSERT_TRUE(rules);
  const auto policy = ParsePolicy(
      "schema: 1\n"
      "rules:\n"
      "  gpu/idle: {params: {warn: -5%, error: 120%}}\n"
      "  iteration/unsteady: {params: {warn: 120%}}\n",
      "p.yaml");
  ASSERT_TRUE(policy) << RenderErrors(policy.error(), false);
  const auto active = SelectRules(*rules, *policy, {*ParseDay("2026-11-21")});
  ASSERT_FALSE(active);
  EXPECT_EQ(RenderErrors(active.error(), false),
            "error: `warn` −5\u202f%: the rule `gpu/idle` limits `gpu.idle.mean`, which is never "
            "negative\n"
            "  --> p.yaml:3:29\n"
            "  help: `gpu/idle: off` switches the rule off   [policy/out-of-range]\n"
            "\n"
            "error: `error` 120\u202f%: the rule `gpu/idle` limits `gpu.idle.mean`, which is at "
            "most 100\u202f%\n"
            "  --> p.yaml:3:41\n"
            "  help: `gpu/idle: off` switches the rule off   [policy/out-of-range]\n");
}

}  // namespace
}  // namespace profgauge::rules
