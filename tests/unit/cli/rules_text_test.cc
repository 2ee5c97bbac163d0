// The reference that `rules docs` prints names everything that a rule may say.
#include "cli/text/rules_text.h"

#include <gtest/gtest.h>

#include "expr/function.h"
#include "rules/facts.h"

namespace profgauge::cli {
namespace {

TEST(RuleDocs, HoldTheRuleKeyByKey) {
  const auto file = rules::ParseRuleFile(R"(schema: 2
namespace: t
rules:
  - id: slow
    title: Slow
    category: compute
    for_each: kernel
    needs: [kernel.op]
    params: {least: {default: 10%, doc: Share that matters.}}
    where: kernel.calls > 1
    metric: {value: sum(kernel.time) / profile.kernel_time, warn_above: $least, error_above: 50%}
    gain: {value: sum(kernel.time), bound: upper, why: As if it were gone.}
    message: m
    advice: Do less.
)",
                                         "t.yaml");
  ASSERT_TRUE(file);
  EXPECT_EQ(RuleDocs(file->rules),
            "### t-slow\n\n`t/slow`: **Slow** (compute; warn, error)\n\n"
            "Measures `sum(kernel.time) / profile.kernel_time` over each `kernel` where "
            "`kernel.calls > 1`.\n\n"
            "Needs `kernel.op`.\n\n"
            "- `least` (default 10\u202f%): Share that matters.\n\n"
            "- Do less.\n\n"
            "Estimated gain (upper): As if it were gone.\n\n");
}

/// The program has the text that no page holds any more: each rule with its reason and its source.
TEST(RuleDocs, HoldTheShippedRules) {
  const auto rules = rules::LoadBuiltinRules();
  ASSERT_TRUE(rules);
  const std::string docs = RuleDocs(rules->rules);
  for (const rules::Rule& rule : rules->rules) {
    const std::size_t begin = docs.find("\n`" + rule.id + "`: ");
    ASSERT_NE(begin, std::string::npos) << rule.id;
    const std::string section = docs.substr(begin, docs.find("\n### ", begin) - begin);
    if (rule.gain) EXPECT_NE(section.find(rule.gain->why), std::string::npos) << rule.id;
    EXPECT_NE(section.find(rule.source), std::string::npos) << rule.id;
    for (const SourceText& id : rule.explains) {
      EXPECT_NE(section.find(id.text), std::string::npos) << rule.id;
    }
  }
}

TEST(ExplainRule, ShowsWhatItSimulates) {
  const auto rules = rules::LoadBuiltinRules();
  ASSERT_TRUE(rules);
  std::size_t scenarios = 0;
  for (const rules::Rule& rule : rules->rules) {
    if (!rule.gain) continue;
    const std::string text = ExplainRule(rule, nullptr);
    for (const rules::WhatIfScale& scale : rule.gain->scenario) {
      EXPECT_NE(text.find(scale.where.text + " by "), std::string::npos) << text;
      ++scenarios;
    }
  }
  EXPECT_GT(scenarios, 20u);
}

TEST(ExpandedRule, EqualsItsTemplate) {
  const auto file = rules::ParseRuleFile(R"(schema: 2
namespace: t
category: c
let: {long: "kernel.mean > $least and kernel.name != 'a\\b'"}
texts: {both: [{when: profile.gpus > 1, text: Many.}, One.]}
templates:
  slow:
    with: {what: text}
    rule:
      for_each: kernel
      params: {least: {default: 20 us, doc: d}}
      where: long
      metric: {is: "{{ with.what }}", value: sum(kernel.time) / profile.kernel_time, warn_above: 10%}
      message: "{{ metric }} \"{{ with.what }}\""
      evidence: {order_by: kernel.time desc, columns: [kernel.name, per_iteration(kernel.calls)]}
rules:
  - {id: a, title: A, use: slow, with: {what: matmuls}, explains: [t/b, {when: metric > 20%, rule: t/c}],
     advice: [{when: profile.ranks > 1, use: both}, {case: [{when: profile.gpus > 8, text: x}, y]}]}
)",
                                         "t.yaml");
  ASSERT_TRUE(file) << rules::RenderErrors(file.error(), false);
  const std::string yaml = ExpandedRule(file->rules.front());
  const auto again = rules::ParseRuleFile(yaml, "t.yaml");
  ASSERT_TRUE(again) << rules::RenderErrors(again.error(), false) << yaml;
  EXPECT_EQ(ExpandedRule(again->rules.front()), yaml);
  EXPECT_NE(yaml.find("where: \"kernel.mean > $least and kernel.name != 'a\\\\b'\""), yaml.npos)
      << yaml;
  EXPECT_NE(
      yaml.find("- when: \"(profile.ranks > 1) and (profile.gpus > 1)\"\n        text: \"Many.\""),
      yaml.npos)
      << yaml;
}

TEST(LanguageDocs, NameEveryFunctionFactAndColumn) {
  const std::string docs = LanguageDocs();
  const auto names = [&docs](const std::string& what) {
    return docs.find("| `" + what) != std::string::npos;
  };
  for (const expr::Function& function : expr::Functions()) {
    EXPECT_TRUE(names(std::string(function.name))) << function.name;
  }
  for (const rules::FactSpec& fact : rules::FactCatalogue())
    EXPECT_TRUE(names(std::string(fact.name)));
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    if (table.row_name.empty()) continue;
    for (const ColumnSpec& column : table.columns) {
      EXPECT_TRUE(names(std::string(table.row_name) + "." + std::string(column.id) + "`"))
          << table.row_name << "." << column.id;
    }
  }
}

}  // namespace
}  // namespace profgauge::cli
