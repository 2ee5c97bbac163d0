// The attribution of a run's time, from the summaries of its ranks.
#pragma once

#include <span>
#include <vector>

#include "analysis/time/attribution.h"
#include "analysis/time/rank_attribution.h"
#include "model/profile.h"

namespace profgauge {

/// AttributionFactsOf() with the additions of later rooms: collectives, modules, and the times by
/// iteration of communication, loading and the critical path.
AttributionFacts WholeAttributionOf(const RankContext& rank, const std::vector<bool>& is_wanted);

/// Takes summaries and profiles in any mixture. Errors: as AnalyzeRun; kInput "summary/no-events"
/// where a summary is of a profile whose numbers summaries do not keep.
Result<Attribution> AttributeRun(std::span<const Profile> profiles, const Selection& selection);

}  // namespace profgauge
