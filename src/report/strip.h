// Makes the strip of the first screen: selected iterations with the category of each moment.
#pragma once

#include <span>

#include "analysis/analysis.h"
#include "analysis/classify/knowledge.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

/// Lays out iterations of `ranks` over time. With several matched ranks: of the latest, the median
/// and the earliest rank in one iteration (table `rank_calls`), on a common clock. Otherwise: the
/// slowest and a typical one (table `iterations`), both from 0. Empty without times, device work or
/// a breakdown. `times`: from the analysis of `ranks`. O(events) of up to three ranks.
Strip BuildStrip(std::span<const Profile> ranks, std::span<const analysis::RankTime> times,
                 const analysis::classify::Knowledge& knowledge, const Report& report);

}  // namespace profgauge::report
