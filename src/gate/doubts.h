// Why a verdict may be undecided, whatever its numbers are.
//
// All functions answer with sentences for the reasons of a verdict. An empty list, or nothing, says
// that there is no doubt of that kind, not that the run is good. A certain failure is kept beside
// them (gate/verdict.h).
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

// Doubts from a profile's analysis that make its verdict undecided, whatever its numbers are.

/// One sentence each: iterations that the profile lost, work of unknown
/// iteration, ranks without markers or without device work, ranks of several runs. Missing ranks
/// are doubts.h's. `allow_incomplete` accepts all but the last; `ranks.allow_missing` of the
/// policy this many ranks without device work.
std::vector<std::string> DoubtsOf(const rules::Policy& policy, const analysis::Analysis& analysis,
                                  bool allow_incomplete);

/// One sentence where a device was used and nothing that it computed was recorded: no device
/// events, no kernel, or collectives only. Numbers of such a run say nothing about the program, so
/// no limit fails, and `on_missing` has no say. Empty for policies without a limit on a device, and
/// with `allow_incomplete`.
std::vector<std::string> WhyNothingToJudge(const rules::Policy& policy,
                                           const analysis::Analysis& analysis,
                                           bool allow_incomplete);

// Whether the ranks that a policy's limits depend on are in the run.

/// In words, which ranks are missing or too many: "2 of 8 ranks are missing: …". Nothing when they
/// are as `policy` demands, and, without a demand, when no limit is on common work of ranks or
/// the profiles do not show how many there are. A baseline limits the length of iterations, which
/// all ranks make.
std::optional<std::string> WhyRanksMissing(const rules::Policy& policy,
                                           const analysis::Analysis& analysis, bool has_baseline);

// The parts of a run that summaries cannot judge.

/// In words, which limits and rules could have failed the run but need data that summaries do not
/// have: the profiles might have failed by them. Nothing where there are none, and for full
/// profiles. `gate` and `findings`: as judged. For tables of which only the longest rows are kept,
/// these are all that shipped rules choose; a rule of a project, or one whose parameter in `where`
/// the policy sets, may choose others, and does not pass.
std::optional<std::string> WhyNotKept(const analysis::Analysis& analysis,
                                      std::span<const GateResult> gate,
                                      std::span<const rules::Finding> findings,
                                      const rules::Policy& policy);

}  // namespace profgauge::gate
