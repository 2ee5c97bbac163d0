// Numbers without the profiler: of unrecorded iterations, and of recorded work by their length.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/trust/judged_steps.h"

namespace profgauge::analysis::trust {

/// Remarks: the first leaves a verdict undecided, the others do not.
inline constexpr std::string_view kRunContradicts = "run-contradicts";
inline constexpr std::string_view kRunUnused = "run-unused";
inline constexpr std::string_view kConditionsUnused = "conditions-unused";

/// Sets step.*, run.*, and metrics with `.unrecorded`. Returns the iterations that judge the run:
/// the slowest one's of several ranks; null where there are none or they contradict the profile.
/// REQUIRES: times, utilization and communication of `out` are set.
std::shared_ptr<const JudgedSteps> AddUnrecorded(std::span<const iterations::RankContext> ranks,
                                                 catalog::Output& out);

/// Sets serve.* of load tests and the tables `benchmarks`, `serving` and `serving_load`, as a file
/// of times states them; of files with nothing else `steps`, too. `steps`: nullptr where there are
/// none.
void AddSideResults(std::span<const iterations::RankContext> ranks, const JudgedSteps* steps,
                    catalog::Output& out);

// The conditions under which devices ran: clocks, power, temperature, reasons for lowered clocks.

/// Sets conditions.*: from the data in `profgauge.run` and `--device-log` about all ranks' devices.
/// REQUIRES: the table `roofline` and the kernel time of `out` are set.
void AddConditions(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// A profile's own statements replace values that its events cannot give.

/// Fills metrics that are still absent and tables that still have no rows from Profile::reported,
/// and notes whose numbers they are. Numbers computed from events stay, except of tables that
/// IsOfRecorder() names, unless only a range is judged. Two ranks with statements cannot be added
/// up: nothing is taken then. If one of several ranks states something, only statements about the
/// host (host.*) are taken, which are of the whole run. Call it after every other analysis.
void AddReported(std::span<const iterations::RankContext> ranks, bool range_chosen,
                 catalog::Output& out);

/// Whether the recorder's own table has priority over the computed one: the types of operators, and
/// the number of operators of each, depend on the recorder's definition of an operator.
bool IsOfRecorder(std::string_view table);

}  // namespace profgauge::analysis::trust
