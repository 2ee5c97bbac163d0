// Metrics of the iterations of a run: statistics of their lengths, and what their time went to.
// All times are ns. They are made of RunIteration and IterationFacts only, so that summaries give
// the same numbers as events; run_iterations.h calls them in order.
#pragma once

#include <span>
#include <string>

#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::breakdown {

/// Sets iteration.period.* and iteration.between_share: the work between iterations, which their
/// lengths do not show. Absent without two consecutive iterations. Between two iterations that
/// overlap (a period shorter than the length) there is 0.
void SetPeriods(std::span<const RunIteration> run, catalog::Output& out);

/// Sets iteration.time.*, iteration.drift and iteration.outliers from the lengths without
/// unobserved time. `alike`: the same lengths as if all launched as much; of them are the robust
/// variation and the outliers. Absent with fewer iterations than a number needs (2 for spread, 3
/// for drift, 8 for outliers); low confidence with few. REQUIRES: neither is empty; both have one
/// length.
void SetStatistics(std::span<const double> durations, std::span<const double> alike,
                   const knowledge::TunableThresholds& thresholds, catalog::Output& out);

/// Why no time can be known to go to a part: the profile has nothing of the kind. Empty: it has,
/// or the part needs no special events (communication, unattributed time).
std::string WhyUntold(std::span<const IterationFacts> ranks, Category part,
                      const catalog::Output& out);

/// Sets breakdown.*: the share of each part in `whole`, to which `sums` add up. A part without time
/// of a kind that was not recorded is absent, not 0; its time is with the others.
void SetBreakdown(std::span<const IterationFacts> ranks, const Breakdown& sums, Ns whole,
                  catalog::Output& out);

/// Sets dataloader.*. `exposed`: time in the iterations, whose length is `whole`; time between them
/// adds to both. All are absent where the host was not recorded and nothing waits, or where
/// iterations have no length.
void SetLoader(std::span<const IterationFacts> ranks, Ns exposed, Ns whole, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
