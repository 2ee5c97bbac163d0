// Metrics without the profiler, from unrecorded iterations combined with recorded work.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/trust/judged_steps.h"

namespace profgauge::analysis::trust {

/// Ids of remarks: the first leaves a verdict undecided, the other ones do not.
inline constexpr std::string_view kRunContradicts = "run-contradicts";
inline constexpr std::string_view kRunUnused = "run-unused";
inline constexpr std::string_view kConditionsUnused = "conditions-unused";

/// Sets step.*, run.*, and metrics with `.unrecorded`. Returns the iterations that judge the run,
/// which are the slowest rank's. Null if there are none or they contradict the profile. REQUIRES:
/// times, utilization and communication of `out` are set.
std::shared_ptr<const JudgedSteps> AddUnrecorded(std::span<const iterations::RankContext> ranks,
                                                 catalog::Output& out);

/// From a file of times, sets serve.* of load tests and adds the tables `benchmarks`, `serving` and
/// `serving_load`; also `steps` if the file has no other data. `steps`: nullptr if there are none.
void AddSideResults(std::span<const iterations::RankContext> ranks, const JudgedSteps* steps,
                    catalog::Output& out);

// The conditions of devices: clocks, power, temperature, reasons for lowered clocks.

/// Sets conditions.* for all ranks' devices, from `profgauge.run` and `--device-log`.
/// REQUIRES: the table `roofline` and the kernel time of `out` are set.
void AddConditions(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// Values that a profile reports itself replace those that its events cannot provide.

/// Fills metrics and tables that are still absent or empty from Profile::reported, and notes their
/// origin. Numbers computed from events stay, except in tables of IsOfRecorder(), unless only a
/// range is judged. Values of two ranks cannot be combined, so none are used then. If only one of
/// several ranks reports values, only those on the host (host.*) are used, which cover the whole
/// run. Must be called after all other analyses.
void AddReported(std::span<const iterations::RankContext> ranks, bool range_chosen,
                 catalog::Output& out);

/// Whether the profiler's own table replaces the computed one. So it is for types of operators and
/// their counts, because profilers define an operator differently.
bool IsOfRecorder(std::string_view table);

}  // namespace profgauge::analysis::trust
