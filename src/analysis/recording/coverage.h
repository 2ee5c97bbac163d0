// How much of the GPU's work the analysis can place: with an operator, with a launch, in
// iterations.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Of one rank: GPU time, over the whole recording.
struct CoverageFacts {
  bool has_ranges = false, has_calls = false;
  Ns total = 0, with_op = 0, with_launch = 0;
  Ns inside = 0;  ///< Of the selected iterations.
};
CoverageFacts CoverageFactsOf(const RankContext& rank);

/// Sets coverage.*: shares of GPU time over the whole recording and all ranks. Absent is the share
/// with an operator where no rank recorded operators or ranges, the share with a launch where none
/// recorded calls.
void AddCoverage(std::span<const RankContext> ranks, Output& out);
void AddCoverage(std::span<const CoverageFacts> ranks, Output& out);

}  // namespace profgauge
