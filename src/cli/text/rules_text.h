// The output of `profgauge rules …`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json_list.h"
#include "rules/errors.h"
#include "rules/evaluator.h"
#include "rules/rule.h"
#include "rules/rule_test.h"

namespace profgauge::cli {

/// One line per rule: id, category, levels, title.
std::string RuleLines(const std::vector<rules::Rule>& rules);

/// The rule as in its file, key by key, with the parameters that the policy gives it (`active`).
/// nullptr: the policy switched it off, so parameters are the rule's own, and a line says so.
std::string ExplainRule(const rules::Rule& rule, const rules::ActiveRule* active);

/// The results of a rule in a run: every intermediate value, and why each group fired or did not.
std::string ExplainFinding(const rules::Finding& finding);

/// The rules in Markdown, a section each. Its head is the id with `-` for `/`, so links are stable.
std::string RuleDocs(const std::vector<rules::Rule>& rules);
/// The language of expressions in Markdown: functions, units, rows with their columns, and facts.
std::string LanguageDocs();

/// One line for each kind of rows, its name first. Then one for each word that any rule may use.
std::string RowKinds();
/// The columns of the rows `row` (`profile`: facts), one per line, with their known values. Empty
/// if there are no such rows.
std::string ColumnLines(std::string_view row);

/// One line for each test, with its failures below, and the count at the end. Passed tests are
/// shown only if `verbosity` is 1.
std::string TestLines(const std::vector<rules::RuleTestResult>& results, int verbosity);
/// The results as JUnit XML.
std::string TestJunit(const std::vector<rules::RuleTestResult>& results);

// The output of `profgauge rules … --json`: the text's data as fields.

/// The rule with the parameters that the policy gives it (`active`; nullptr: the policy switched it
/// off). `findings`: the results of the rule in a profile.
JsonList ExplainList(const rules::Rule& rule, const rules::ActiveRule* active,
                     std::span<const rules::Finding* const> findings);

/// One row per error, then one per warning.
JsonList MistakeList(const rules::Errors& errors, const rules::Errors& warnings);

/// One row per test.
JsonList TestList(const std::vector<rules::RuleTestResult>& results);

/// One row for each kind of rows, and for each word that any rule may use. With `row`, one for each
/// column of these rows.
JsonList ColumnList(std::string_view row);

}  // namespace profgauge::cli
