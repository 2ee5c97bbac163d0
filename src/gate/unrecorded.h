// Uses numbers without the profiler in limits, rules and comparisons.
//
// A profiler slows the host. If a run also has the times of unrecorded iterations
// (analysis/trust/judged_steps.h), these judge instead of the recorded ones. This file defines
// which number replaces which, and when a result stays undecided:
//
//     recorded   without the profiler      limit 30 %
//       41 %      22 % [20, 25]            kept, with enough iterations of the same process
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

// Limits on numbers that the profiler changes.

/// The metric without the profiler for a limit on `metric`, e.g. step.time.median for
/// iteration.time.median. Nothing if the profiler does not change the metric.
std::optional<MetricId> WithoutProfiler(std::string_view metric,
                                        const analysis::Analysis& analysis);

/// Judges a limit by the number without the profiler, instead of the recorded one. Undecided if
/// only part of its interval misses the limit, or if only the recorded number misses it and fewer
/// than 50 unrecorded iterations are surely of the same process. Nothing if the recorded number
/// is to judge. REQUIRES: the limit applies.
std::optional<GateResult> JudgeWithoutProfiler(const rules::Threshold& threshold,
                                               const rules::Policy& policy,
                                               const analysis::Analysis& analysis);

/// True if the iterations may excuse a miss of recorded numbers: at least 50 of the same process.
bool MayExcuse(const analysis::trust::JudgedSteps& steps);

/// Explains the missing verdict if the policy requires unrecorded iterations and there are none.
std::optional<std::string> WhyUnrecordedMissing(const rules::Policy& policy,
                                                const analysis::Analysis& analysis);

// Rules judge numbers without the profiler, because a device that idles only because the profiler
// slows the host is no finding.

/// The metrics that were replaced: index and original.
using ReplacedMetrics = std::vector<std::pair<std::size_t, analysis::Metric>>;

/// Replaces idle time, its causes, and utilization by their values in an unrecorded iteration. Time
/// that the profiler added is idle time, so it is subtracted from host waits and launches first. If
/// the iterations cannot excuse a miss, the numbers stay, and their possible values (`may_be`) are
/// set. Does nothing if no unrecorded iterations judge.
ReplacedMetrics TakeProfilerOff(const rules::Policy& policy, analysis::Analysis& analysis);
/// Undoes the replacement. REQUIRES: `replaced` is of this analysis.
void PutBack(ReplacedMetrics replaced, analysis::Analysis& analysis);

// Unrecorded iterations in comparisons.

/// How the unrecorded iterations of both sides are used to compare times.
enum class StepsUse : std::uint8_t {
  kNone,           ///< Neither side has enough.
  kOneSide,        ///< Only one side has enough: recorded ones are compared.
  kOtherSampling,  ///< One side has means, the other single values: not comparable.
  kBoth,
};
/// Decides how a comparison uses the unrecorded iterations of both sides.
StepsUse StepsUseOf(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates);

/// True if the metric is a time of unrecorded iterations.
bool IsOfSteps(std::string_view metric);

/// The unrecorded iterations of each run except unusual ones, in order, in ns.
SeriesList UsualSteps(std::span<const Snapshot> runs);
/// All unrecorded iterations of each run, including unusual ones.
SeriesList AllSteps(std::span<const Snapshot> runs);
std::vector<double> StepValues(std::span<const Snapshot> runs);

/// Text: "by 97 unrecorded iterations, the baseline's 120".
std::string StepCounts(const SeriesList& base, const SeriesList& current);

}  // namespace profgauge::gate
