// Columns of the tables of the critical path and of predictions. Filled by analysis/simulation/;
// `what_if` by rules/what_if.cc, because policies define scenarios.
#pragma once

#include "analysis/catalog/shared_columns.h"

namespace profgauge::analysis::catalog::columns {

inline constexpr ColumnSpec kCriticalPath[] = {
    kRank,
    {"category", "Waits for", kText,
     "Host, launch, kernels, copies, transfer, waiting for ranks, data loader, synchronization or "
     "unknown."},
    {"name", "Name", kText, "Operator, call or kernel; in parentheses if it has no name."},
    {"op", "Operator", kText, "Operator that launched it, or that the call is in."},
    {"module", "Module", kText, "The innermost nn.Module around it, where recorded."},
    kUses,
    {"segments", "Segments", kCount, "How often the path goes through it."},
    {"time", "Time", kTime, "Time on the path; all rows add up to the path."},
    {"share", "Share", kShare, "Time / length of the path."},
};

inline constexpr ColumnSpec kWhatIf[] = {
    {"name", "Scenario", kText, "Name of the scenario."},
    {"rows", "Events", kCount, "How many events its conditions select."},
    {"recorded_time", "Iteration, recorded", kTime, "Mean iteration time of the profile."},
    {"iteration_time", "Iteration, predicted", kTime, "Mean iteration time in the simulation."},
    {"gain", "Saves", kTime, "Saving per iteration."},
    {"gain_share", "Saves, share", kShare, "Gain / recorded time."},
    {"path", "New bottleneck", kText,
     "The critical path of the simulation, its largest parts first; or why there is no "
     "prediction."},
};

inline constexpr ColumnSpec kSlack[] = {
    kRank,
    kGpu,
    kStream,
    {"name", "Kernel", kText, "Name of the kernel, copy or memset."},
    kCalls,
    kKernelTime,
    {"critical_time", "On the path", kTime, "Time on the critical path."},
    {"slack", "Slack", kTime,
     "How much longer one of its calls could take before the last iteration ends later: minimum "
     "over the calls."},
};

}  // namespace profgauge::analysis::catalog::columns
