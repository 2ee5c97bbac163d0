// Metrics of the iterations of a run: statistics of their lengths, and the parts of their time. All
// times are ns. They use only RunIteration and IterationFacts, so summaries give the same numbers
// as events; run_iterations.h calls them in order.
#pragma once

#include <span>
#include <string>

#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::breakdown {

/// Sets iteration.period.*, the time from one start to the next, and iteration.between_share, the
/// part between iterations. Absent without two consecutive iterations. If two iterations overlap
/// (period shorter than length), the time between them is 0.
void SetPeriods(std::span<const RunIteration> run, catalog::Output& out);

/// Sets iteration.time.*, iteration.drift and iteration.outliers from the lengths without
/// unobserved time. `alike`: the lengths as if all launched equally much; used for the robust
/// variation and the outliers. Absent if a number needs more iterations (2 for spread, 3 for drift,
/// 8 for outliers); low confidence for few. REQUIRES: both are non-empty and of equal size.
void SetStatistics(std::span<const double> durations, std::span<const double> alike,
                   const knowledge::TunableThresholds& thresholds, catalog::Output& out);

/// The reason why the time of a part is unknown: no such events were recorded. Empty if they were,
/// or if the part needs none (communication, unattributed time).
std::string WhyUntold(std::span<const IterationFacts> ranks, Category part,
                      const catalog::Output& out);

/// Sets breakdown.*: the share of each part in `whole`, the sum of `sums`. A part that was not
/// recorded and has no time is absent, not 0; its time is in the other parts.
void SetBreakdown(std::span<const IterationFacts> ranks, const Breakdown& sums, Ns whole,
                  catalog::Output& out);

/// Sets dataloader.*. `exposed`: time in the iterations, whose length is `whole`; time between them
/// is added to both. All are absent if the host was not recorded and nothing waits, or if
/// iterations have no length.
void SetLoader(std::span<const IterationFacts> ranks, Ns exposed, Ns whole, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
