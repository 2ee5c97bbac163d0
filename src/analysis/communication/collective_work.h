// Collectives of a rank summed by kind and size of their group.
#pragma once

#include <vector>

#include "analysis/context/context.h"
#include "analysis/time/work_sums.h"
#include "base/units.h"

namespace profgauge {

/// "all_reduce of 8": device time by iteration. Empty where the rank has none on its devices.
std::vector<NameWork> CollectiveWorkOf(const RankContext& rank);

/// While collectives run on its devices, from each selected iteration to the next: sums to
/// communication.time of the rank. Empty where there are none.
std::vector<Ns> CommunicationByIteration(const RankContext& rank);

}  // namespace profgauge
