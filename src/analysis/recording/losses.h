// Uncertainty by lost device events: where work is missing, the device seems to idle.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Marks idle and waiting time as uncertain if a profiler lost at least one
/// event in 500 or no one knows how many, or iterations have no launches, which is remarked. A
/// profile that only ends early lost none before its end. REQUIRES: after all that set these
/// metrics.
void MarkLosses(std::span<const RankContext> ranks, Output& out);

/// Makes values absent that follow only from kernel names, for profiles that lost many of them: no
/// kernel was found that communicates or uses Tensor Cores, which does not mean that none does. If
/// the names of many kernels are unknown, the number on Tensor Cores is uncertain. REQUIRES: after
/// all that set these metrics.
void MarkLostNames(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
