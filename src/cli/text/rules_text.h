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

/// One line a rule, its id first: id, category, levels, title.
std::string RuleLines(const std::vector<rules::Rule>& rules);

/// The rule as it is in its file, key by key, and the parameters that the policy gives it
/// (`active`; nullptr: its own, and a line says that the policy has it off).
std::string ExplainRule(const rules::Rule& rule, const rules::ActiveRule* active);

/// The rule's results in a run: every intermediate value, why each group fired or did not.
std::string ExplainFinding(const rules::Finding& finding);

/// Markdown: one section a rule, headed by its id with `-` for `/` so that links to it are stable.
std::string RuleDocs(const std::vector<rules::Rule>& rules);
/// Markdown: the names and functions of expressions: functions, units, rows with columns, facts.
std::string LanguageDocs();

/// One line a kind of rows, its name first; then one a word that every rule file knows.
std::string RowKinds();
/// The columns of the rows `row` (`profile`: facts), one a line, with values that are known; empty
/// when there are none.
std::string ColumnLines(std::string_view row);

/// One line a test, then its failures; ends with the count. Passed tests are shown only with
/// `verbosity` 1.
std::string TestLines(const std::vector<rules::RuleTestResult>& results, int verbosity);
/// JUnit XML.
std::string TestJunit(const std::vector<rules::RuleTestResult>& results);

// The output of `profgauge rules … --json`: the same as the text, in fields.

/// The rule, with the parameters that the policy gives it (`active`; nullptr: the policy has it
/// off). `findings`: the result of the rule in a profile.
JsonList ExplainList(const rules::Rule& rule, const rules::ActiveRule* active,
                     std::span<const rules::Finding* const> findings);

/// A row for each mistake, then for each warning.
JsonList MistakeList(const rules::Errors& errors, const rules::Errors& warnings);

/// A row for each test.
JsonList TestList(const std::vector<rules::RuleTestResult>& results);

/// A row for each kind of rows, and for each word that every rule file knows; with `row` for each
/// of its columns.
JsonList ColumnList(std::string_view row);

}  // namespace profgauge::cli
