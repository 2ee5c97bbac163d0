// Uncertainty by graphs that were recorded whole: a device may idle, communicate or run any number
// of kernels in them.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Sets the worst possible values of idle time, utilization, communication and counts of kernels,
/// where only such graphs run. Only iterations, GPUs and groups of the contexts are used.
/// REQUIRES: after all that set these metrics.
void BoundByWholeGraphs(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
