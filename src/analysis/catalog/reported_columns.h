// Columns of tables that files contain directly, instead of the underlying events. Readers fill
// them by name; analysis/dlprof/ counts groups of operators if a file has none.
#pragma once

#include "analysis/catalog/shared_columns.h"

namespace profgauge::analysis::catalog::columns {

inline constexpr ColumnSpec kOpGroups[] = {
    {"name", "Group", kText,
     "Path of modules and functions; `/` contains all operators, `_CompleteModel_` also runtime "
     "calls outside of them."},
    {"calls", "Calls", kCount, "Calls of operators in it."},
    {"operators_eligible", "Eligible", kCount,
     "Operators in it that could use {{ device.matrix_units }}."},
    {"operators_using", "Using {{ device.matrix_units }}", kCount,
     "Operators in it that use {{ device.matrix_units }}."},
    {"host_total", "Host total", kTime, "Sum of their times on the host."},
    {"host_mean", "Host, mean", kTime, "Mean over the runs of the group."},
    {"host_min", "Host, shortest", kTime, "The least of one run of the group."},
    {"host_max", "Host, longest", kTime, "The most of one run of the group."},
    {"device_total", "Device total", kTime, "Sum of their times on the {{ device.device }}."},
    {"device_mean", "Device, mean", kTime, "Mean over the runs of the group."},
    {"device_min", "Device, shortest", kTime, "The least of one run of the group."},
    {"device_max", "Device, longest", kTime, "The most of one run of the group."},
    {"overhead", "Host overhead", kTime, "Host time less the time in runtime calls."},
    {"overhead_mean", "Overhead, mean", kTime, "Mean over the runs of the group."},
    {"overhead_min", "Overhead, shortest", kTime, "The least of one run of the group."},
    {"overhead_max", "Overhead, longest", kTime, "The most of one run of the group."},
    {"gpu_idle", "{{ device.device }} idle", kTime, "Time between their device work."},
    {"gpu_idle_mean", "{{ device.device }} idle, mean", kTime, "Mean over the runs of the group."},
    {"gpu_idle_min", "{{ device.device }} idle, shortest", kTime,
     "The least of one run of the group."},
    {"gpu_idle_max", "{{ device.device }} idle, longest", kTime,
     "The most of one run of the group."},
};

inline constexpr ColumnSpec kDlprofAdvice[] = {
    {"problem", "Problem", kText, "Finding in DLProf's words."},
    {"recommendation", "Recommendation", kText, "Advice in DLProf's words."},
};

inline constexpr ColumnSpec kDlprofAggregations[] = {
    {"number", "Aggregation", kCount, "Its number: `--aggr` chooses it."},
    {"first", "First iteration", kCount, "Number of the first iteration that it sums up."},
    {"last", "Last iteration", kCount, "Number of the last one."},
    {"iterations", "Iterations", kCount, "How many of them it sums up."},
    {"wall_time", "Wall time", kTime, "Time that it covers."},
    {"is_shown", "Shown", kBool, "Whether DLProf's sums in this report are those of this one."},
    {"has_same_iterations", "Same iterations", kBool,
     "Whether its iterations start and end as those of the shown one: another key node divides "
     "time elsewhere."},
};

inline constexpr ColumnSpec kBenchmarks[] = {
    {"name", "Benchmark", kText, "Its name in the file."},
    {"runs", "Values", kCount, "Times of it in the file."},
    {"median", "Median", kTime, "Median time."},
    {"robust_cv", "Spread", kShare,
     "1.4826 times the median absolute deviation by the median; absent for a single value."},
};

inline constexpr ColumnSpec kServing[] = {
    {"name", "Latency", kText, "The latency."},
    {"mean", "Mean", kTime, "Mean over the requests."},
    {"median", "Median", kTime, "Median over the requests."},
    {"p90", "p90", kTime, "90th percentile of the requests."},
    {"p95", "p95", kTime, "95th percentile of the requests."},
    {"p99", "p99", kTime, "99th percentile of the requests."},
};

inline constexpr ColumnSpec kServingLoad[] = {
    {"name", "What", kText,
     "A property of the load by its name in the tool, or a count of answers."},
    {"value", "Value", kText, "Its value."},
};

inline constexpr ColumnSpec kSteps[] = {
    {"first", "Iteration", kCount, "Position of the first in the file, from 0."},
    {"count", "Iterations", kCount, "How many a row has: of many, neighbors share one."},
    {"mean", "Mean", kTime, "Mean of their times."},
    {"longest", "Longest", kTime, "The longest of them."},
    {"unusual", "Unusual", kCount,
     "How many are marked as a checkpoint, an evaluation or the like."},
};

inline constexpr ColumnSpec kHostUse[] = {
    {"name", "What", kText, "memory, one CPU, or the average of all."},
    {"samples", "Samples", kCount, "Recorded samples."},
    {"mean", "Mean", kShare, "Mean share in use."},
    {"max", "Highest", kShare, "Highest share in use."},
    {"max_bytes", "Most bytes", kBytes, "Maximum bytes in use; only for memory."},
};

}  // namespace profgauge::analysis::catalog::columns
