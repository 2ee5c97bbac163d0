// Analyzes a run of many ranks from summaries: the metrics and tables of profiles as far as
// summaries contain their data. All others are absent with a reason.
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

/// Summarizes profiles of one run, in rank order. Uses the iterations that all of them, or all of
/// `run`, have in common. Errors: as BuildRankContexts().
Result<std::vector<Summary>> SummarizeRanks(std::span<const Profile> ranks,
                                            const Selection& selection,
                                            const iterations::IterationsOfRun& run = {});

/// Analyzes summaries (IsSummary) and profiles in any mixture; profiles are summarized. Errors:
/// kUsage "summary/other-selection"; kInput "summary/damaged", "summary/other-iterations".
Result<Analysis> AnalyzeRun(std::span<const Profile> ranks, const Selection& selection);

// Attribution of a run's time from the summaries of its ranks.

/// Returns AttributionFactsOf() with additions of other analyses: collectives, modules, and times
/// by iteration of communication, loading and the critical path.
breakdown::AttributionFacts WholeAttributionOf(const iterations::RankContext& rank,
                                               const std::vector<bool>& is_wanted);

/// Takes summaries and profiles in any mixture. Errors: as AnalyzeRun(); kInput "summary/no-events"
/// for a summary whose profile has no data of this kind.
Result<breakdown::Attribution> AttributeRun(std::span<const Profile> profiles,
                                            const Selection& selection);

// Selection and knowledge of an analysis, which must be equal in compared runs.

/// ComparedSelection() of all iterations without added knowledge.
inline constexpr std::string_view kAllIterations = "all iterations";

/// The selected iterations and the project's knowledge of kernels and devices; equal texts mean
/// equal choices. Excludes iteration markers and a range, which a snapshot stores separately.
std::string ComparedSelection(const Selection& selection);

}  // namespace profgauge::analysis::ranks
