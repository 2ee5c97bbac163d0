// Limits on numbers that the profiler changes, judged by the same numbers without it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/analysis.h"
#include "gate/verdict.h"
#include "rules/policy.h"

namespace profgauge {

/// The number without the profiler that a limit on `metric` is about: step.time.median for
/// iteration.time.median. Nothing where the profiler does not change it.
std::optional<MetricId> WithoutProfiler(std::string_view metric, const Analysis& analysis);

/// Compares the limit with the number without the profiler, by its interval: all of it must keep
/// the limit or miss it, else the result stays undecided. A miss of the profile's own number is
/// excused only where the same process gave at least 50 unrecorded iterations. Nothing where the
/// profile's own number judges. REQUIRES: the limit applies.
std::optional<GateResult> JudgeWithoutProfiler(const Threshold& threshold, const Policy& policy,
                                               const Analysis& analysis);

/// Whether the iterations excuse a miss of the profile's own numbers: at least 50, of its process.
bool MayExcuse(const JudgedSteps& steps);

/// Why a policy that requires unrecorded iterations gives no verdict.
std::optional<std::string> WhyUnrecordedMissing(const Policy& policy, const Analysis& analysis);

}  // namespace profgauge
