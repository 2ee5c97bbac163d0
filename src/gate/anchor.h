// Creep: many small changes, none of them over the limit, that add up to one that is.
#pragma once

#include <span>

#include "gate/baseline_info.h"
#include "gate/compare.h"

namespace profgauge {

/// Holds the candidates also against `anchor`, the first runs of the level that they should keep.
/// Where that is more severe than what the last runs say, it replaces their answer in `comparison`,
/// and says that it is creep. Exact counts are told once, by the last runs.
void HoldAgainstAnchor(std::span<const Snapshot> anchor, std::span<const Snapshot> candidates,
                       const PolicyBaseline& policy, const BaselineInfo& info,
                       RunComparison& comparison);

}  // namespace profgauge
