// Columns of the tables of devices, their kernels, launches and copies. The rows of all column
// headers are in the order of reports and of RowWriter's cells. Rules and queries name a column by
// its id, so an id never changes its meaning. If a row ends with a metric, the column's cells are
// as uncertain as that metric (ColumnSpec::as_sure_as).
#pragma once

#include "analysis/catalog/shared_columns.h"
#include "base/metric_id.h"

namespace profgauge::analysis::catalog::columns {

inline constexpr ColumnSpec kRule = {
    "rule", "Rule", kText, "Name rule that decided the use of {{ device.matrix_units }}."};
// From `calls` to `exposed_time`, common to all tables that sum kernels.
inline constexpr ColumnSpec kKernelSums[] = {
    kCalls,
    kKernelTime,
    kMean,
    kShortest,
    kLongest,
    {"blocks_per_sm", "Blocks per {{ device.core }}", kNumber,
     "Mean blocks per {{ device.multiprocessor }}, weighted by time."},
    kOccupancy,
    {"is_collective", "Collective", kBool, "Whether it moves data between ranks."},
    kExposed,
};

inline constexpr auto kKernels = Join(
    {
        {"name", "Kernel", kText, "Kernel as recorded."},
        kUses,
        kRule,
    },
    kKernelSums,
    {
        {"bytes", "Bytes", kBytes, "Bytes of collectives, where recorded."},
        kOutside,
        {"outside_calls", "Calls outside", kCount,
         "Calls that were not launched in the selected iterations."},
    });

inline constexpr auto kKernelsByOp = Join(
    {
        {"name", "Kernel", kText, "Kernel as recorded."},
        {"op", "Operator", kText, "Operator that launched it."},
        {"op_type", "Operator type", kText, "Kind of that operator."},
        {"dtype", "Type", kText, "Data type of the operator's first typed input, where recorded."},
        {"tensor_core_eligible", "Eligible", kBool,
         "Whether the operator could use {{ device.matrix_units }}."},
        kUses,
        kRule,
        kRank,
        kGpu,
        {"grid", "Grid", kText, "Blocks in x, y, z."},
        {"block", "Block", kText, "Threads of a block in x, y, z."},
        {"registers", "Registers", kCount, "Registers per thread."},
        {"shared_memory", "Shared memory", kBytes, "Shared memory of a block."},
    },
    kKernelSums,
    {
        {"bytes", "Bytes", kBytes,
         "Bytes of collectives, where recorded; else its part of the operator's minimum bytes, "
         "from shapes."},
        {"flops", "FLOPs", kFlops,
         "Its part of the operator's floating-point operations, by time."},
    });

inline constexpr ColumnSpec kKernelsByIteration[] = {
    {"iteration", "Iteration", kCount, "Position of the iteration in the profile, from 0."},
    kRank,
    {"name", "Kernel", kText, "Kernel as recorded."},
    kUses,
    kCalls,
    kKernelTime,
};

inline constexpr ColumnSpec kLaunches[] = {
    kRank,
    kGpu,
    kStream,
    {"name", "Work", kText, "Launched kernel, copy or memset."},
    {"kind", "Kind", kText, "kernel, memcpy or memset."},
    {"op", "Operator", kText, "Operator that launched it."},
    {"call", "Call", kText, "Runtime or driver call that launched it."},
    {"call_start", "Call start", kTime, "Start of the call, from the start of the profile."},
    {"call_time", "Call time", kTime, "Host time of the call."},
    {"start", "Start", kTime, "Start on the device, from the start of the profile."},
    {"time", "Device time", kTime, "Duration on the device."},
    {"delay", "Delay", kTime,
     "From the end of the call to the start on the device; 0 when earlier."},
    {"queue_length", "Queue length", kCount,
     "Earlier launches on the same stream that had not started when the call began."},
    kUses,
    {"iteration", "Iteration", kCount, "Position of the iteration that launched it, from 0."},
    {"grid", "Grid", kText, "Blocks in x, y, z."},
    {"block", "Block", kText, "Threads of a block in x, y, z."},
    {"layer", "Layer", kText, "Layers that PyProf's markers name, outermost first."},
    {"line", "Line", kText, "Innermost line of the user's own files that called the operator."},
    {"shapes", "Input shapes", kText, "Shapes of the operator's inputs, where recorded."},
};

inline constexpr ColumnSpec kGpus[] = {
    kRank,
    {"id", "{{ device.device }}", kCount, "Device number as recorded."},
    {"name", "Name", kText, "Product name."},
    {"compute_capability", "Compute capability", kText, "Major and minor."},
    {"sms", "{{ device.core }}s", kCount, "Streaming multiprocessors or compute units."},
    {"memory", "Memory", kBytes, "Device memory."},
    {"utilization", "Utilization", kShare, "Share of the window in which a kernel runs.",
     metric::kGpuUtilizationMean},
    {"idle", "Idle", kShare, "Share of the window in which nothing runs.", metric::kGpuIdleMean},
    {"usual_idle", "Idle in a typical iteration", kShare,
     "Idle time if a few long iterations idled like the others; absent if there are none.",
     metric::kGpuIdleMean},
    {"sm_efficiency", "Est. {{ device.core }} efficiency", kShare,
     "Blocks per {{ device.core }}, at most 1, over the window."},
    kOccupancy,
    {"tensor_core_share", "{{ device.matrix_unit }} share", kShare,
     "Share of kernel time on {{ device.matrix_units }}."},
    {"kernels", "Kernels", kCount, "Kernels."},
    {"kernel_time", "Kernel time", kTime, "Sum of the durations of kernels."},
    {"wall_time", "Wall time", kTime, "Length of the window."},
};

inline constexpr ColumnSpec kStreams[] = {
    kRank,
    kGpu,
    kStream,
    {"kernels", "Kernels", kCount, "Kernels of the selected iterations."},
    {"copies", "Copies and memsets", kCount, "Copies and memsets in the selected iterations."},
    {"kernel_time", "Kernel time", kTime, "Sum of the durations of kernels."},
    {"collective_time", "Collective time", kTime, "Collectives among them."},
    {"copy_time", "Copy time", kTime, "Sum of the durations of copies and memsets."},
    {"busy", "Busy", kShare, "Share of the window in which the stream runs something."},
    {"launches", "Launches", kCount, "Launches whose call was recorded."},
    {"queue_empty_share", "Empty queue", kShare, "Share of launches into an empty queue."},
    {"queue_mean", "Mean queue", kNumber, "Mean queue length after each launch and start (HTA)."},
    {"queue_max", "Longest queue", kCount, "Longest queue."},
    {"queue_full_share", "Full queue", kShare,
     "Share of the time from the first launch to the last start with 1024 or more waiting (HTA)."},
};

inline constexpr ColumnSpec kMemcpys[] = {
    {"kind", "Kind", kText, "h2d, d2h, d2d, p2p, h2h, unknown, or memset."},
    {"host_memory", "Host memory", kText,
     "pageable, pinned, managed (pages that the driver moved), or unknown."},
    kRank,
    kGpu,
    kCalls,
    {"time", "Time", kTime, "Sum of the durations."},
    kMean,
    {"bytes", "Bytes", kBytes, "Bytes moved, of the copies whose size is known."},
    {"bandwidth", "Bandwidth", kBandwidth, "Bytes / time, of the copies whose size is known."},
    kExposed,
    {"exposed_once", "Exposed, one-off", kTime,
     "Exposed time in a few iterations that exceeds all others: at most one in ten, with more than "
     "three times as much as the next."},
};

}  // namespace profgauge::analysis::catalog::columns
