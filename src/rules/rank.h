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

/// Links fired findings to the fired finding that explains them (of several the one with the
/// largest gain) and puts all in the order that evaluator.h promises. `rule_of` is the rule index
/// of each. A cause gains at least
/// `explained` of its symptom's saving.
void RankFindings(std::span<const CompiledRule> rules, std::vector<std::size_t> rule_of,
                  knowledge::Ratio explained, std::vector<Finding>& findings);

/// Makes warnings of findings that only inform and save much (plan.promoted_share of an iteration,
/// simulated), unless another finding explains them or the policy sets the level of their rule.
/// Their places stay.
void PromoteLargeSavings(std::span<const CompiledRule> rules, std::vector<Finding>& findings);

}  // namespace profgauge::rules
