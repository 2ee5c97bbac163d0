#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/row_exposure.h"
#include "expr/eval.h"
#include "expr/message.h"
#include "knowledge/quantity.h"
#include "rules/bindings.h"
#include "rules/compile.h"
#include "rules/evaluator.h"

namespace profgauge::rules {

/// Links each fired finding to the fired finding that explains it (if several do, to the one with
/// the largest saving), and orders all as evaluator.h defines. `rule_of` has each finding's rule. A
/// cause must save at least `explained` of its symptom's saving.
void RankFindings(std::span<const CompiledRule> rules, std::vector<std::size_t> rule_of,
                  knowledge::Ratio explained, std::vector<Finding>& findings);

/// Raises informational findings with a large simulated saving (plan.promoted_share of an
/// iteration) to warnings, unless another finding explains them or the policy sets their rule's
/// level. The order stays the same.
void PromoteLargeSavings(std::span<const CompiledRule> rules, std::vector<Finding>& findings);

/// True if that could raise a finding. False means that levels do not depend on savings.
bool MayPromote(std::span<const Finding> findings);

}  // namespace profgauge::rules
