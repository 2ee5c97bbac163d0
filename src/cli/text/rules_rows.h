// The output of `profgauge rules … --json`: the same as the text, in fields.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/json_list.h"
#include "rules/errors.h"
#include "rules/evaluator.h"
#include "rules/rule.h"
#include "rules/rule_test.h"

namespace profgauge::cli {

/// The rule, with the parameters that the policy gives it (`active`; nullptr: the policy has it
/// off). `findings`: the result of the rule in a profile.
JsonList ExplainList(const Rule& rule, const ActiveRule* active,
                     std::span<const Finding* const> findings);

/// A row for each mistake, then for each warning.
JsonList MistakeList(const Errors& errors, const Errors& warnings);

/// A row for each test.
JsonList TestList(const std::vector<RuleTestResult>& results);

/// A row for each kind of rows; with `row` for each of its columns.
JsonList ColumnList(std::string_view row);

}  // namespace profgauge::cli
