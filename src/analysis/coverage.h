// How much of the GPU's work the analysis can place: with an operator, with a launch, in
// iterations.
#pragma once

#include <span>

#include "analysis/context.h"
#include "analysis/output.h"

namespace profgauge {

/// Sets coverage.*: shares of GPU time over the whole recording and all ranks.
void AddCoverage(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
