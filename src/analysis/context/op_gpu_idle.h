// How long the GPU had nothing to do while an operator's work was on it.
#pragma once

#include <vector>

#include "analysis/context/context.h"

namespace profgauge {

/// Per row of HostTable: from the start of the first to the end of the last device work that the op
/// launched itself, less the time in which some of it runs (DLProf's "GPU Idle Time"). 0 for ops
/// without device work and for rows that are no ops.
std::vector<Ns> OpGpuIdle(const RankContext& rank);

}  // namespace profgauge
