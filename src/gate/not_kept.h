// The parts of a run that summaries cannot judge.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/analysis.h"
#include "gate/verdict.h"
#include "rules/evaluator.h"

namespace profgauge {

/// In words, which limits and rules could have failed the run but need data that summaries do not
/// have: the profiles might have failed by them. Nothing where there are none, and for full
/// profiles. `gate` and `findings`: as judged. For tables of which only the longest rows are kept,
/// these are all that shipped rules choose; a rule of a project, or one whose parameter in `where`
/// the policy sets, may choose others, and does not pass.
std::optional<std::string> WhyNotKept(const Analysis& analysis, std::span<const GateResult> gate,
                                      std::span<const Finding> findings, const Policy& policy);

}  // namespace profgauge
