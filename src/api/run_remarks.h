// Remarks about how a run was judged, not about its contents. session.cc adds them to each analysis
// that a report shows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "model/profile.h"
#include "rules/policy.h"

namespace profgauge {

/// The thresholds that the policy changes, as text: "kernels.short = 20 µs (default 10 µs)".
std::vector<std::string> ThresholdChanges(const rules::Policy& policy);

/// Adds a remark on these changes, if there are any. Every output shows it, because the run's
/// numbers are not comparable with those of other runs.
void AddRemarkOnThresholds(const rules::Policy& policy, analysis::Analysis& analysis);

/// Adds a remark on who numbered the ranks (the reader or the caller), if no file recorded them.
void AddRemarkOnRanks(std::span<const Profile> ranks, analysis::Analysis& analysis);

}  // namespace profgauge
