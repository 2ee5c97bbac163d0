// The run of many ranks from their kept data: metrics and tables like those of profiles, as far as
// summaries have them. All others are absent with a reason.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/breakdown/attribution.h"
#include "analysis/breakdown/rank_attribution.h"
#include "model/profile.h"
#include "model/summary/summary.h"

namespace profgauge::analysis::ranks {

/// From profiles of one run, in rank order. Iterations are those that all of them have, or all of
/// `run`. Errors: as BuildRankContexts.
Result<std::vector<Summary>> SummarizeRanks(std::span<const Profile> ranks,
                                            const Selection& selection,
                                            const iterations::IterationsOfRun& run = {});

/// `ranks` are summaries (IsSummary) and recordings in any mixture; recordings are summarized.
/// Errors: kUsage "summary/other-selection"; kInput "summary/damaged", "summary/other-iterations".
Result<Analysis> AnalyzeRun(std::span<const Profile> ranks, const Selection& selection);

// The attribution of a run's time, from the summaries of its ranks.

/// AttributionFactsOf() with the additions of later rooms: collectives, modules, and the times by
/// iteration of communication, loading and the critical path.
breakdown::AttributionFacts WholeAttributionOf(const iterations::RankContext& rank,
                                               const std::vector<bool>& is_wanted);

/// Takes summaries and profiles in any mixture. Errors: as AnalyzeRun; kInput "summary/no-events"
/// where a summary is of a profile whose numbers summaries do not keep.
Result<breakdown::Attribution> AttributeRun(std::span<const Profile> profiles,
                                            const Selection& selection);

// Selection and knowledge at the time of an analysis, which must agree between compared runs.

/// ComparedSelection() of all iterations, with nothing known.
inline constexpr std::string_view kAllIterations = "all iterations";

/// Which of the marked iterations count, and the project's knowledge of kernels and devices; equal
/// texts mean equal choices. Markers of iterations, and a range, are no part of it: a snapshot has
/// these apart.
std::string ComparedSelection(const Selection& selection);

}  // namespace profgauge::analysis::ranks
