// The run of many ranks from what was kept of each: metrics and tables as of the profiles, of
// what summaries hold. All else is absent and says so.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "model/summary/summary.h"

namespace profgauge {

/// Of profiles of one run, in rank order. Iterations are those that all of them have.
/// Errors: as BuildRankContexts.
Result<std::vector<Summary>> SummarizeRanks(std::span<const Profile> ranks,
                                            const Selection& selection);

/// `ranks` are summaries (IsSummary) and recordings in any mixture; recordings are summarized.
/// Errors: kUsage "summary/other-selection"; kInput "summary/damaged", "summary/other-iterations".
Result<Analysis> AnalyzeRun(std::span<const Profile> ranks, const Selection& selection);

}  // namespace profgauge
