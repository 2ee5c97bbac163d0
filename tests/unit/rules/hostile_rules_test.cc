// Rule files made to break readers: each ends in one clear error with its place, quickly.
#include <gtest/gtest.h>

#include "rules/compile.h"
#include "rules/rule.h"

namespace profgauge::rules {
namespace {

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// A rule with this text as its metric's value or as its condition.
std::string RuleWith(std::string_view key, const std::string& text) {
  return "schema: 2\nnamespace: t\nrules:\n"
         "  - id: a\n    title: T\n    category: c\n    for_each: profile\n    message: m\n" +
         (key == "metric" ? "    metric: {warn_above: 1, value: \"" + text + "\"}\n"
                          : "    level: warn\n    when: \"" + text + "\"\n");
}

/// "code @line: message" of the first error; "fine" without one.
std::string FirstError(const std::string& text) {
  const auto shown = [](const Errors& errors) {
    return errors.front().code + " @" + std::to_string(errors.front().where.line) + ": " +
           errors.front().message;
  };
  const auto file = ParseRuleFile(text, "t.yaml");
  if (!file) return shown(file.error());
  for (const Rule& rule : file->rules) {
    if (const Errors errors = CheckRule(rule); !errors.empty()) return shown(errors);
  }
  return "fine";
}

TEST(HostileRules, EndInOneClearError) {
  struct Row {
    std::string text, error;
  };
  const std::string large = "expr/too-large @9: the expression has more than 2000 parts";
  const std::string deep = "expr/too-large @9: the expression is nested more than 64 deep";
  const Row kRows[] = {
      {Repeat("[", 1'000'000), "yaml/too-deep @1: nested deeper than 32 levels"},
      {Repeat("{a: ", 250'000), "yaml/too-deep @1: nested deeper than 32 levels"},
      {RuleWith("metric", Repeat("gpu.idle.mean + ", 10'000) + "1"), large},
      {RuleWith("when", Repeat("gpu.idle.mean > 1% and ", 10'000) + "true"),
       "expr/too-large @10: the expression has more than 2000 parts"},
      {RuleWith("metric", Repeat("(", 10'000) + "1" + Repeat(")", 10'000)), large},
      {RuleWith("metric", Repeat("-", 10'000) + "1"), deep},
      {RuleWith("when", Repeat("not ", 10'000) + "true"),
       "expr/too-large @10: the expression is nested more than 64 deep"},
      {RuleWith("metric", Repeat("if(true, ", 5'000) + "1" + Repeat(", 2)", 5'000)), large},
      {RuleWith("when", "profile.format matches '" + Repeat("(x{1000}){1000}", 3) + "'"),
       "expr/pattern @10: not a regular expression: invalid repetition size: {1000}"},
      {RuleWith("when", "profile.format matches '" + Repeat("(a*)*", 1'000) + "'"), "fine"},
      {"schema: 010\nnamespace: no\nrules: []\n",
       "config/schema @1: expected schema 2, found `010`"},
      {RuleWith("metric", "010"),
       "expr/syntax @9: expected a number with an optional unit, found `010`; leading zeros are "
       "not "
       "allowed, since some readers take them for octal"},
      {RuleWith("when", "no"), "expr/unknown-field @10: unknown field `no`"},
      {RuleWith("metric", "1") + "    metric: {value: 2, warn_above: 1}\n",
       "yaml/duplicate-key @10: the key `metric` is given twice"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(FirstError(row.text), row.error) << row.text.substr(0, 200);
  }
}

}  // namespace
}  // namespace profgauge::rules
