// The part of the idle time that may be due to the profiler: it delays the host at each recorded
// event, and so the work that the host launches next.
#pragma once

#include "analysis/catalog/output.h"
#include "analysis/trust/judged_steps.h"

namespace profgauge::analysis::trust {

/// Bounds gpu.idle.mean by profiler.delay_time, the largest possible delay of a device per
/// iteration due to the profiler:
///
///     idle 41 of 100 ms, at most 20 due to the profiler      idle 41 %, may be 21 of 80 ms
///
/// Does nothing if unrecorded iterations measure the same (`steps`), if the delay is unknown, or if
/// the change is below one point. REQUIRES: idle time and profiler.delay_time of `out` are set.
void BoundByProfiler(const JudgedSteps* steps, catalog::Output& out);

}  // namespace profgauge::analysis::trust
