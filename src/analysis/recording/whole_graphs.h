// What graphs that were recorded whole leave open: a device may idle, communicate or run any number
// of kernels in them.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Says of idle time, utilization, communication and counts of kernels what they may be at worst,
/// where only such graphs run. Of the contexts only iterations, GPUs and groups are looked at.
/// REQUIRES: after what sets these metrics.
void BoundByWholeGraphs(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
