// The trace that `rules explain` shows of a rule's run: the value of every name and of every step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/eval.h"
#include "expr/message.h"
#include "rules/evaluator.h"

namespace profgauge {

/// "31.4 %", or "absent: …".
std::string ShownOutcome(const expr::Outcome& outcome, const expr::Type& type,
                         const expr::Display& display);

/// Names whose value a rule uses as it is, outside of aggregates.
enum class Named : std::uint8_t {
  kOfRun,    ///< Metrics, facts, values common to all GPUs: the same for all groups.
  kOfGroup,  ///< Columns of the group's rank, GPU or key.
};

/// Appends each such name of the rule's expressions once, by first appearance. Parameters are not
/// among them: they are part of the rule. REQUIRES: `data` is bound, to a group for kOfGroup.
void AddNames(const CompiledRule& rule, const expr::Data& data, Named which,
              std::vector<TraceValue>& trace);

}  // namespace profgauge
