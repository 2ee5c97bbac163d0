// Reasons for an undecided verdict that do not depend on the numbers.
//
// All functions return sentences for a verdict. An empty list or text only means that there is no
// such doubt, not that the run is good. A certain failure stays a failure (gate/verdict.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "gate/verdict.h"
#include "rules/evaluator.h"
#include "rules/policy.h"

namespace profgauge::gate {

// Doubts from the analysis of a profile.

/// One sentence for each doubt: lost iterations, work of unknown iteration, ranks without markers
/// or without device work, ranks of several runs. Missing ranks are WhyRanksMissing()'s.
/// `allow_incomplete` accepts all except the last; `ranks.allow_missing` of the policy accepts that
/// many ranks without device work.
std::vector<std::string> DoubtsOf(const rules::Policy& policy, const analysis::Analysis& analysis,
                                  bool allow_incomplete);

/// One sentence if a device was used but its computation was not recorded: no device events, no
/// kernel, or only collectives. Such numbers say nothing about the program, so no limit fails and
/// `on_missing` is ignored. Empty if the policy limits no device, and with `allow_incomplete`.
std::vector<std::string> WhyNothingToJudge(const rules::Policy& policy,
                                           const analysis::Analysis& analysis,
                                           bool allow_incomplete);

// Ranks that the limits of a policy depend on.

/// Explains which ranks are missing or too many: "2 of 8 ranks are missing: …". Nothing if the
/// ranks satisfy `policy`. If the policy has no requirement, also nothing if no limit is on common
/// work of ranks, or if the profiles do not state the number of ranks. A baseline limits the length
/// of iterations, which is common work.
std::optional<std::string> WhyRanksMissing(const rules::Policy& policy,
                                           const analysis::Analysis& analysis, bool has_baseline);

// Limits and rules that summaries cannot judge.

/// Names limits and rules that might have failed with full profiles, but need data that summaries
/// do not have, because some tables keep only their longest rows. For example, a project's rule, or
/// one with a parameter in `where` that the policy sets, cannot pass. nullopt if there are none,
/// and for full profiles. `gate` and `findings`: as judged.
std::optional<std::string> WhyNotKept(const analysis::Analysis& analysis,
                                      std::span<const GateResult> gate,
                                      std::span<const rules::Finding> findings,
                                      const rules::Policy& policy);

}  // namespace profgauge::gate
