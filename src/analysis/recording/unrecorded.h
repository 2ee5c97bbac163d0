// Numbers without the profiler: of unrecorded iterations, and of recorded work by their length.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analysis/context/context.h"
#include "analysis/recording/judged_steps.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Remarks: the first leaves a verdict undecided, the others do not.
inline constexpr std::string_view kRunContradicts = "run-contradicts";
inline constexpr std::string_view kRunUnused = "run-unused";
inline constexpr std::string_view kConditionsUnused = "conditions-unused";

/// Sets step.*, run.*, and metrics with `.unrecorded`. Returns the iterations that judge the run:
/// the slowest one's of several ranks; null where there are none or they contradict the profile.
/// REQUIRES: times, utilization and communication of `out` are set.
std::shared_ptr<const JudgedSteps> AddUnrecorded(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
