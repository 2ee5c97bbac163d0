// Remarks that stand beside the numbers of a run because of how it was asked for, not of what it
// did: session.cc adds them to each analysis that a report shows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "model/profile.h"
#include "rules/policy.h"

namespace profgauge {

/// "kernels.short = 20 µs (default 10 µs)" of each threshold that the policy sets to another value.
std::vector<std::string> ThresholdChanges(const rules::Policy& policy);

/// Adds the changes above, if there are any: every output says them, as numbers of other runs are
/// no match.
void AddRemarkOnThresholds(const rules::Policy& policy, analysis::Analysis& analysis);

/// Adds who numbered the ranks, where no file recorded them: the reader's or the caller's word.
void AddRemarkOnRanks(std::span<const Profile> ranks, analysis::Analysis& analysis);

}  // namespace profgauge
