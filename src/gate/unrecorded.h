// Numbers without the profiler, for limits, rules and comparisons.
//
// A profiler slows the host. Where the same run also has the times of iterations that were not
// recorded (analysis/trust/judged_steps.h), these judge instead of the recorded ones. Here is
// only which number takes the place of which, and when a result stays undecided for that reason:
//
//     recorded   without the profiler      limit 30 %
//       41 %      22 % [20, 25]            kept, if enough iterations of the same process say so
//       41 %      28 % [24, 33]            low confidence: part of the interval misses it
//       41 %      38 % [34, 41]            missed
//       25 %      22 % [20, 25]            kept
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/compare_series.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "rules/policy.h"

namespace profgauge::gate {

// Limits on numbers that the profiler changes, judged by the same numbers without it.

/// The number without the profiler that a limit on `metric` is about: step.time.median for
/// iteration.time.median. Nothing where the profiler does not change it.
std::optional<MetricId> WithoutProfiler(std::string_view metric,
                                        const analysis::Analysis& analysis);

/// Compares the limit with the number without the profiler, by its interval: all of it must keep
/// the limit or miss it, else the result stays undecided. A miss of the profile's own number is
/// excused only where the same process gave at least 50 unrecorded iterations. Nothing where the
/// profile's own number judges. REQUIRES: the limit applies.
std::optional<GateResult> JudgeWithoutProfiler(const rules::Threshold& threshold,
                                               const rules::Policy& policy,
                                               const analysis::Analysis& analysis);

/// Whether the iterations excuse a miss of the profile's own numbers: at least 50, of its process.
bool MayExcuse(const analysis::trust::JudgedSteps& steps);

/// Why a policy that requires unrecorded iterations gives no verdict.
std::optional<std::string> WhyUnrecordedMissing(const rules::Policy& policy,
                                                const analysis::Analysis& analysis);

// Numbers without the profiler in place of the profile's, for rules: an idle device that waits for
// a host which the profiler slows is no finding.

/// Metrics that were replaced, by their place.
using ReplacedMetrics = std::vector<std::pair<std::size_t, analysis::Metric>>;

/// Replaces idle time, its causes, and utilization by their values in an unrecorded iteration. The
/// time that the profiler added is idle time: it is taken from waiting for the host and from
/// launches first. Where the iterations may not excuse a miss the numbers
/// stay, and may be as much less. Nothing where no unrecorded iterations judge.
ReplacedMetrics TakeProfilerOff(const rules::Policy& policy, analysis::Analysis& analysis);
/// Undoes the replacement. REQUIRES: `replaced` is of this analysis.
void PutBack(ReplacedMetrics replaced, analysis::Analysis& analysis);

// Unrecorded iterations of runs, as comparisons take them.

/// Whether times are compared by unrecorded iterations.
enum class StepsUse : std::uint8_t {
  kNone,           ///< No side has 20 of them.
  kOneSide,        ///< The other has none: recorded ones are compared.
  kOtherSampling,  ///< One side has means, the other single ones: they cannot be compared.
  kBoth,
};
/// How a comparison uses unrecorded iterations, by those of both sides.
StepsUse StepsUseOf(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates);

/// Whether the metric is a time of unrecorded iterations.
bool IsOfSteps(std::string_view metric);

/// Usual iterations of each run, and all with unusual ones.
SeriesList UsualSteps(std::span<const Snapshot> runs);
/// The unrecorded iterations of each run, in order, in ns.
SeriesList AllSteps(std::span<const Snapshot> runs);
std::vector<double> StepValues(std::span<const Snapshot> runs);

/// "97 and 120 unrecorded iterations": how many a side has.
std::string StepCounts(const SeriesList& base, const SeriesList& current);

}  // namespace profgauge::gate
