// What the time of a run is due to, from what was kept of each rank.
#pragma once

#include <span>

#include "analysis/time/attribution.h"
#include "model/profile.h"

namespace profgauge {

/// Of summaries and recordings in any mixture. Errors: as AnalyzeRun; kInput "summary/no-events"
/// where a summary is of a recording whose numbers summaries do not keep.
Result<Attribution> AttributeRun(std::span<const Profile> profiles, const Selection& selection);

}  // namespace profgauge
