// How much of the GPU's work the analysis can place: with an operator, with a launch, in
// iterations.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Sets coverage.*: shares of GPU time over the whole recording and all ranks. Absent is the share
/// with an operator where no rank recorded operators or ranges, the share with a launch where none
/// recorded calls.
void AddCoverage(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
