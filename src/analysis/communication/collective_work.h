// Collectives of a rank summed by kind and size of their group.
#pragma once

#include <vector>

#include "analysis/context/context.h"
#include "analysis/time/work_sums.h"

namespace profgauge {

/// "all_reduce of 8": device time by iteration. Empty where the rank has none on its devices.
std::vector<NameWork> CollectiveWorkOf(const RankContext& rank);

}  // namespace profgauge
