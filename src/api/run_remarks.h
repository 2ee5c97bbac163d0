// Remarks about a run that result from how it was judged, not from its contents. session.cc adds
// them to each analysis that a report shows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "model/profile.h"
#include "rules/policy.h"

namespace profgauge {

/// Lists thresholds that the policy sets to other values: "kernels.short = 20 µs (default 10 µs)".
std::vector<std::string> ThresholdChanges(const rules::Policy& policy);

/// Adds these changes, if there are any. Every output shows them, because the run's numbers are not
/// comparable with those of other runs.
void AddRemarkOnThresholds(const rules::Policy& policy, analysis::Analysis& analysis);

/// Adds who numbered the ranks if no file recorded them: the reader or the caller.
void AddRemarkOnRanks(std::span<const Profile> ranks, analysis::Analysis& analysis);

}  // namespace profgauge
