// Creep: many small changes, each within the limit, that add up to one beyond it.
#pragma once

#include <span>

#include "gate/baseline_info.h"
#include "gate/compare.h"

namespace profgauge {

/// Compares the candidates also with `anchor`, the first runs of the level that they should keep.
/// If that is more severe than the comparison with the last runs, it replaces the answer in
/// `comparison`, and names it creep. Exact counts are reported once, by the last runs.
void HoldAgainstAnchor(std::span<const Snapshot> anchor, std::span<const Snapshot> candidates,
                       const PolicyBaseline& policy, const BaselineInfo& info,
                       RunComparison& comparison);

}  // namespace profgauge
