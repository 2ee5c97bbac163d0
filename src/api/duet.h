// The steps from A and B alternating on one machine to a judged comparison.
#pragma once

#include <optional>

#include "api/comparison.h"
#include "model/duet.h"
#include "model/import_log.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge {

/// Profiles of both sides, taken in separate blocks: they show the cause, the blocks the change.
struct DuetProfiles {
  ComparedSide a, b;
  ImportLog log;
};

/// Errors: those of JudgeDuet().
Result<JudgedComparison> JudgeDuetRuns(const Duet& duet, std::optional<DuetProfiles> profiles,
                                       const Policy& policy, const CompareChoices& choices);

}  // namespace profgauge
