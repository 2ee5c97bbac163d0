// How much of the idle time may be the profiler's: it delays the host with each event that it
// records, and so the work that the host launches next.
#pragma once

#include "analysis/catalog/output.h"
#include "analysis/trust/judged_steps.h"

namespace profgauge::analysis::trust {

/// Bounds gpu.idle.mean by profiler.delay_time, the most that the profiler may have delayed a
/// device per iteration:
///
///     idle 41 of 100 ms, of which the profiler may have made 20     idle 41 %, may be 21 of 80 ms
///
/// Nothing where unrecorded iterations measure the same (`steps`), where the delay is unknown, and
/// where it changes less than a point. REQUIRES: idle time and profiler.delay_time of `out` are
/// set.
void BoundByProfiler(const JudgedSteps* steps, catalog::Output& out);

}  // namespace profgauge::analysis::trust
