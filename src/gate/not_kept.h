// What a run that is known by summaries leaves unjudged.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/analysis.h"
#include "gate/verdict.h"
#include "rules/evaluator.h"

namespace profgauge {

/// In words, which limits and rules could have failed the run but need what summaries do not keep:
/// the profiles might have failed by them. Nothing where there are none, and for recordings.
/// `gate` and `findings`: as judged. Of tables of which only the longest rows are kept, these are
/// all that shipped rules choose; a rule of a project, or one whose parameter in `where` the policy
/// sets, may choose others, and does not pass.
std::optional<std::string> WhyNotKept(const Analysis& analysis, std::span<const GateResult> gate,
                                      std::span<const Finding> findings, const Policy& policy);

}  // namespace profgauge
