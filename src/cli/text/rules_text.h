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

/// The rule as in its file, key by key, and the parameters that the policy gives it (`active`;
/// nullptr: the rule's own, and a line says that the policy has it off).
std::string ExplainRule(const rules::Rule& rule, const rules::ActiveRule* active);

/// The rule's results in a run: every intermediate value, and why each group fired or did not.
std::string ExplainFinding(const rules::Finding& finding);

/// Markdown: one section a rule, headed by its id with `-` for `/` so that links to it are stable.
std::string RuleDocs(const std::vector<rules::Rule>& rules);
/// Markdown: the names and functions of expressions: functions, units, rows with columns, facts.
std::string LanguageDocs();

/// One line per kind of rows, its name first; then one per word that every rule file knows.
std::string RowKinds();
/// The columns of the rows `row` (`profile`: facts), one per line, with known values; empty if
/// there are none.
std::string ColumnLines(std::string_view row);

/// One line per test, followed by its failures; ends with the count. Passed tests are shown only if
/// `verbosity` is 1.
std::string TestLines(const std::vector<rules::RuleTestResult>& results, int verbosity);
/// JUnit XML.
std::string TestJunit(const std::vector<rules::RuleTestResult>& results);

// The output of `profgauge rules … --json`: the text's data as fields.

/// The rule with the parameters that the policy gives it (`active`; nullptr: the policy has it
/// off). `findings`: the results of the rule in a profile.
JsonList ExplainList(const rules::Rule& rule, const rules::ActiveRule* active,
                     std::span<const rules::Finding* const> findings);

/// One row per error, then one per warning.
JsonList MistakeList(const rules::Errors& errors, const rules::Errors& warnings);

/// One row per test.
JsonList TestList(const std::vector<rules::RuleTestResult>& results);

/// One row per kind of rows, and per word that every rule file knows; with `row`, one per column of
/// these rows.
JsonList ColumnList(std::string_view row);

}  // namespace profgauge::cli
