// What the loss of device events leaves unsure: where work is missing, the device seems to idle.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Marks what is said of idle and waiting time as uncertain where a profiler lost at least one
/// event in 500 or no one knows how many, or iterations have no launches, which is remarked. A
/// recording that merely ends early lost none before its end. REQUIRES: after what sets these
/// metrics.
void MarkLosses(std::span<const RankContext> ranks, Output& out);

/// Makes absent what only names of kernels tell, of profiles that lost many of them: none was
/// found that communicates or uses Tensor Cores, which does not mean that none does. Where those of
/// many kernels do not show, the number on Tensor Cores is unsure. REQUIRES: after what sets these
/// metrics.
void MarkLostNames(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
