// The run of many ranks from their kept data: metrics and tables like those of profiles, as far as
// summaries have them. All others are absent with a reason.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "model/summary/summary.h"

namespace profgauge {

/// From profiles of one run, in rank order. Iterations are those that all of them have.
/// Errors: as BuildRankContexts.
Result<std::vector<Summary>> SummarizeRanks(std::span<const Profile> ranks,
                                            const Selection& selection);

/// `ranks` are summaries (IsSummary) and recordings in any mixture; recordings are summarized.
/// Errors: kUsage "summary/other-selection"; kInput "summary/damaged", "summary/other-iterations".
Result<Analysis> AnalyzeRun(std::span<const Profile> ranks, const Selection& selection);

}  // namespace profgauge
