// Files that only the caller calls ranks of one run (`--ranks as-listed`).
#pragma once

#include <span>

#include "analysis/analysis.h"
#include "gate/verdict.h"
#include "model/profile.h"
#include "profgauge/error.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge {

/// Whether nothing but their order makes these ranks.
bool AreListed(std::span<const Profile> ranks);

/// Judges each of the ranks by itself, and fails `verdict` where one fails: the means of a run must
/// not hide a file of another run. Baselines judge only the whole run. Errors: kUsage,
/// where `selection` fits no iteration of one.
Status FailWithEach(std::span<const Profile> ranks, const Selection& selection,
                    const Policy& policy, const Rulebook& rules, bool allow_incomplete,
                    Verdict& verdict);

}  // namespace profgauge
