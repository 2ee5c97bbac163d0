// Numbers without the profiler in place of the profile's, for rules: an idle device that waits for
// a host which the profiler slows is no finding.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "rules/policy.h"

namespace profgauge {

/// Metrics that were replaced, by their place.
using ReplacedMetrics = std::vector<std::pair<std::size_t, Metric>>;

/// Replaces idle time, its causes, and utilization by their values in an unrecorded iteration. The
/// time that the profiler added is idle time: it is taken from waiting for the host and from
/// launches first. Where the iterations may not excuse a miss (gate/unrecorded_limit.h) the numbers
/// stay, and may be as much less. Nothing where no unrecorded iterations judge.
ReplacedMetrics TakeProfilerOff(const Policy& policy, Analysis& analysis);
/// Undoes the replacement. REQUIRES: `replaced` is of this analysis.
void PutBack(ReplacedMetrics replaced, Analysis& analysis);

}  // namespace profgauge
