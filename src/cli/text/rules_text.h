// The output of `profgauge rules …`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/evaluator.h"
#include "rules/rule.h"
#include "rules/rule_test.h"

namespace profgauge::cli {

/// One line a rule, its id first: id, category, levels, title.
std::string RuleLines(const std::vector<Rule>& rules);

/// The rule as it is in its file, key by key, and the parameters that the policy gives it
/// (`active`; nullptr: its own).
std::string ExplainRule(const Rule& rule, const ActiveRule* active);

/// The rule as a separate file, without templates, imports and names of rows.
std::string ExpandedRule(const Rule& rule);
/// "duration", "number:2"; empty where the unit decides.
std::string ShowAsText(const ShowAs& show_as);

/// The rule's results in a run: every intermediate value, why each group fired or did not.
std::string ExplainFinding(const Finding& finding);

/// Markdown: one section a rule, headed by its id with `-` for `/` so that links to it are stable.
std::string RuleDocs(const std::vector<Rule>& rules);
/// Markdown: the names and functions of expressions: functions, units, rows with columns, facts.
std::string LanguageDocs();

/// One line a kind of rows, its name first.
std::string RowKinds();
/// The columns of the rows `row` (`profile`: facts), one a line, with values that are known; empty
/// when there are none.
std::string ColumnLines(std::string_view row);

/// One line a test, then its failures; ends with the count.
std::string TestLines(const std::vector<RuleTestResult>& results, int verbosity);
/// JUnit XML.
std::string TestJunit(const std::vector<RuleTestResult>& results);

}  // namespace profgauge::cli
