// One rule compared with one run.
#pragma once

#include <vector>

#include "rules/bindings.h"
#include "rules/evaluator.h"

namespace profgauge {

/// At least one finding; with `report: each` one per group that fired or was waived, worst first.
std::vector<Finding> RunRule(const CompiledRule& rule, RunData& run, const RuleRunOptions& options);

}  // namespace profgauge
