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
            "- `error` (default 50\u202f%): Error above this: the metric.\n"
            "- `least` (default 10\u202f%): Share that matters.\n\n"
            "Do less.\n\n"
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
    if (rule.gain) {
      EXPECT_NE(section.find(rule.gain->why), std::string::npos) << rule.id;
    }
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
      const std::string change = scale.hides ? " beside computation" : " by ";
      EXPECT_NE(text.find(scale.where.text + change), std::string::npos) << text;
      ++scenarios;
    }
  }
  EXPECT_GT(scenarios, 20u);
}

TEST(RowKinds, NameTheWordsOfEveryRuleFile) {
  const std::string kinds = RowKinds();
  EXPECT_NE(kinds.find("\namd              device.vendor == 'amd'\n"), kinds.npos) << kinds;
  EXPECT_NE(kinds.find("\nidle_cause       greatest of other: gpu.idle_cause.other default 0%, "),
            kinds.npos)
      << kinds;
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
