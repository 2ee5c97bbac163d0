// The strip of the first screen: which iterations it shows, and what each moment of them is spent
// on.
#pragma once

#include <span>

#include "analysis/analysis.h"
#include "analysis/classify/knowledge.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

/// `ranks` with their events; `times`: of their analysis. Of several ranks that were matched, the
/// latest, the median and the earliest in one iteration (table `rank_calls`), on a common clock;
/// else the slowest iteration and a typical one (table `iterations`), both from 0. Empty without
/// times, device work or a breakdown. O(events) of up to three ranks.
Strip BuildStrip(std::span<const Profile> ranks, std::span<const analysis::RankTime> times,
                 const analysis::classify::Knowledge& knowledge, const Report& report);

}  // namespace profgauge::report
