// Columns of the tables of operators: by name, shapes, stack, kind and iteration, as trees, as
// modules and as ranges. Filled by analysis/ops/, `op_paths` by analysis/dlprof/, `tree_change` by
// report/tree_change.cc. "self" excludes child operators, "total" includes them: totals of nested
// rows must not be added.
#pragma once

#include "analysis/catalog/shared_columns.h"

namespace profgauge::analysis::catalog::columns {

inline constexpr ColumnSpec kOutsideDevice = {
    "outside", "Outside", kTime,
    "Device self time of calls outside the selected iterations: before, after or between."};

// In every table with a row per operator of the whole run.
inline constexpr ColumnSpec kOpColumns[] = {
    {"type", "Type", kText, "Kind of operator: the name without namespace and variants."},
    {"direction", "Direction", kText, "forward, backward, optimizer, or mixed."},
    {"dtypes", "Types", kText, "Data types of the inputs, where recorded and always the same."},
    kCalls,
    {"host_self", "Host self", kTime, "Host time without child operators and runtime calls."},
    {"host_total", "Host total", kTime, "Host time, including everything inside."},
    {"device_self", "Device self", kTime, "Time of device work that it launched itself."},
    {"device_total", "Device total", kTime,
     "Time of device work launched in it or in its children."},
    {"kernels", "Kernels", kCount, "Kernels that it launched itself."},
    {"tensor_core_eligible", "Eligible", kBool,
     "Whether it, or an operator in it, could use {{ device.matrix_units }}. The eligible kernel "
     "time has only kernels that such an operator launched itself."},
    {"uses_tensor_core", "{{ device.matrix_units }}", kText,
     "yes, no or unknown, of the kernels launched in it."},
    {"tensor_core_self", "{{ device.matrix_units }}, self", kShare,
     "Share of the kernel time that it launched itself on {{ device.matrix_units }}."},
    {"tensor_core_total", "{{ device.matrix_units }}, total", kShare,
     "Share of the kernel time launched in it on {{ device.matrix_units }}."},
    {"flops", "FLOPs", kFlops, "Floating-point operations, from shapes."},
    {"bytes", "Bytes", kBytes, "Minimum bytes to move, from shapes."},
    {"achieved", "Achieved", kFlopRate,
     "FLOPs of the calls whose work is known, by the time of the kernels launched in them."},
    kOutsideDevice,
    {"outside_host", "Host outside", kTime, "Host total time outside the selected iterations."},
    {"outside_host_self", "Host self outside", kTime,
     "Host self time outside the selected iterations."},
    {"outside_calls", "Calls outside", kCount, "Calls outside the selected iterations."},
    {"call_stack", "Call stack", kText, "Python call stack, where recorded and always the same."},
};

inline constexpr ColumnSpec kRecomputed[] = {
    {"recomputed_calls", "Calls again", kCount,
     "Calls in the selected iterations that run again in backward (activation checkpointing), "
     "inside of no other such operator."},
    {"recomputed_time", "Time again", kTime, "Time of the kernels launched in these."},
};

inline constexpr auto kOps =
    Join({{"name", "Operator", kText, "Operator."}}, kOpColumns, kRecomputed);

inline constexpr auto kOpsByShape = Join(
    {
        {"name", "Operator", kText, "Operator."},
        {"input_shapes", "Input shapes", kText, "Shapes of the inputs."},
    },
    kOpColumns);

inline constexpr auto kOpsByStack = Join({{"name", "Operator", kText, "Operator."}}, kOpColumns);

// Operators as DLProf counts them.
inline constexpr ColumnSpec kOpPaths[] = {
    {"name", "Operator", kText, "Path of modules and functions, or the call outside of operators."},
    {"op_id", "Op", kText, "DLProf's name of it: the type, and its number among its type."},
    {"type", "Type", kText, "Kind of operator."},
    {"direction", "Direction", kText, "forward or backward."},
    {"dtype", "Data type", kText, "Data type of its first typed input."},
    kCalls,
    {"host_total", "Host total", kTime, "Host time, including everything inside."},
    {"overhead", "Host overhead", kTime, "Host time less the time in runtime calls."},
    {"device_total", "{{ device.device }} busy", kTime,
     "Time in which any of a call's device work runs (DLProf: {{ device.device }} time)."},
    {"gpu_idle", "{{ device.device }} idle", kTime,
     "Idle time between the first start and the last end of a call's device work."},
    {"kernels", "Kernels", kCount, "Kernels launched in it."},
    {"tensor_core_eligible", "Eligible", kBool, "Whether it could use {{ device.matrix_units }}."},
    kUses,
    {"input_shapes", "Input shapes", kText, "Shapes of the inputs, with names of dimensions."},
    {"call_stack", "Call stack", kText, "Python call stack, where recorded."},
};

inline constexpr ColumnSpec kOpTypes[] = {
    {"name", "Type", kText, "Kind of operator."},
    {"operators", "Operators", kCount, "Different names of operators of this kind."},
    kCalls,
    {"host_self", "Host self", kTime, "Host time without child operators and runtime calls."},
    {"device_self", "Device self", kTime, "Time of device work that it launched itself."},
    {"kernels", "Kernels", kCount, "Kernels that it launched itself."},
    {"tensor_core_eligible", "Eligible", kBool,
     "Whether any of them could use {{ device.matrix_units }}."},
    kUses,
    {"tensor_core_self", "{{ device.matrix_units }}, self", kShare,
     "Share of the kernel time that it launched itself on {{ device.matrix_units }}."},
    {"host_total", "Host total", kTime,
     "Host time, including everything inside (DLProf: CPU time)."},
    {"host_mean", "Host mean", kTime, "Host total / calls."},
    {"host_min", "Host shortest", kTime, "Host total of the shortest call."},
    {"host_max", "Host longest", kTime, "Host total of the longest call."},
    {"host_self_mean", "Host self mean", kTime, "Host self / calls (DLProf: CPU overhead)."},
    {"host_self_min", "Host self min", kTime, "Host self of the call with the least."},
    {"host_self_max", "Host self max", kTime, "Host self of the call with the most."},
    {"device_mean", "Device mean", kTime, "Device self / calls."},
    {"device_min", "Device least", kTime, "Device self of the call with the least."},
    {"device_max", "Device most", kTime, "Device self of the call with the most."},
    {"gpu_busy", "{{ device.device }} busy", kTime,
     "Time in which any of a call's own device work runs (DLProf: {{ device.device }} time)."},
    {"gpu_idle", "{{ device.device }} idle", kTime,
     "Idle time between the first start and the last end of a call's own device work."},
    {"gpu_idle_mean", "{{ device.device }} idle mean", kTime, "{{ device.device }} idle / calls."},
    {"gpu_idle_min", "{{ device.device }} idle least", kTime,
     "{{ device.device }} idle of the call with the least."},
    {"gpu_idle_max", "{{ device.device }} idle most", kTime,
     "{{ device.device }} idle of the call with the most."},
    kOutsideDevice,
};

inline constexpr ColumnSpec kOpsByIteration[] = {
    {"iteration", "Iteration", kCount, "Position of the iteration in the profile, from 0."},
    kRank,
    {"name", "Operator", kText, "Operator that ran in the iteration."},
    {"type", "Type", kText, "Kind of operator."},
    {"direction", "Direction", kText, "forward, backward, optimizer, or mixed."},
    {"dtypes", "Types", kText, "Data types of the inputs, where recorded and always the same."},
    {"start", "Start", kTime, "Start of its first call, from the start of the profile."},
    kCalls,
    {"host_self", "Host self", kTime, "Host time without child operators and runtime calls."},
    {"kernels", "Kernels", kCount, "Kernels that it launched itself."},
    {"tensor_core_kernels", "{{ device.matrix_unit }} kernels", kCount,
     "Kernels on {{ device.matrix_units }}."},
    {"time", "{{ device.device }} time", kTime, "Time of device work that it launched itself."},
    {"tensor_core_time", "{{ device.matrix_unit }} time", kTime,
     "Time of kernels on {{ device.matrix_units }}."},
    {"host_total", "Host total", kTime, "Host time with child operators and runtime calls."},
    {"device_total", "{{ device.device }} total", kTime,
     "Time of device work that it and its children launched."},
    {"flops", "FLOPs", kFlops, "Floating-point operations, from shapes."},
    {"bytes", "Bytes", kBytes, "Minimum bytes to move, from shapes."},
    {"call_stack", "Call stack", kText, "Python call stack, where recorded and always the same."},
};

inline constexpr auto kOpTree = Join(
    kTree,
    {
        {"iteration", "Iteration", kCount, "Position of the iteration in the profile, from 0."},
        kRank,
        {"name", "Name", kText, "Thread, range, operator, or device work."},
        {"kind", "Kind", kText, "thread, range, op, kernel, memcpy or memset."},
        kCalls,
        {"host_total", "Host total", kTime, "Host time, including everything inside."},
        {"host_self", "Host self", kTime,
         "Host time without the rows below; calls of the runtime count."},
        {"device_total", "Device total", kTime, "Time of device work launched in it."},
        {"device_self", "Device self", kTime, "Its own duration: device work only."},
    });

// For comparisons; times are per iteration of each run.
inline constexpr auto kTreeChange = Join(
    kTree,
    {
        {"name", "Name", kText,
         "Thread, range, operator, or device work; `new ← old` where renamed."},
        {"kind", "Kind", kText, "thread, range, op, kernel, memcpy or memset."},
        {"change", "In", kText, "in both runs, added, removed, or renamed."},
        {"device_change", "{{ device.device }} time, change", kTime,
         "Change of the time of device work launched in it: this run minus the base; 0 where a run "
         "does not have it."},
        {"base_device_total", "{{ device.device }} time, base", kTime, "In the baseline."},
        {"device_total", "{{ device.device }} time", kTime, "In this run."},
        {"host_change", "Host time, change", kTime,
         "Change of the host time with everything inside: this run minus the base; 0 where a run "
         "does not have it."},
        {"base_host_total", "Host time, base", kTime, "In the baseline."},
        {"host_total", "Host time", kTime, "In this run."},
        {"base_calls", "Calls, base", kCount, "Occurrences in the run compared with."},
        {"calls", "Calls", kCount, "Occurrences in this run."},
    });

inline constexpr auto kModules = Join(
    kTree, {
               {"name", "Module", kText, "Class of the nn.Module, with its number."},
               {"calls", "Occurrences", kCount, "How often it was called at this place."},
               {"operators", "Operators", kCount, "Operators called by it directly."},
               {"host_total", "Host total", kTime, "Host time, including everything inside."},
               {"host_self", "Host self", kTime, "Host time without its modules and operators."},
               {"device_total", "Device total", kTime, "Time of device work launched in it."},
               {"device_self", "Device self", kTime,
                "Time of device work launched in it, but not in a module below."},
               {"backward_device", "Backward device", kTime,
                "Time of device work of the backward operators that belong to its operators."},
               {"mean", "Mean host time", kTime, "Host total / occurrences."},
           });

inline constexpr auto kRanges = Join(
    kTree,
    {
        {"name", "Range", kText, "As the program calls it; a number at its end is N."},
        {"domain", "Domain", kText, "NVTX domain; absent for the default one and other formats."},
        kCalls,
        {"host_total", "Host total", kTime, "Host time, including everything inside."},
        kMean,
        kShortest,
        kLongest,
        {"host_self", "Host self", kTime, "Host time without the ranges inside."},
        {"device_total", "Device total", kTime,
         "Time of device work that its thread launched in it."},
        {"device_self", "Device self", kTime,
         "Time of device work that its thread launched in it, but not in a range below."},
        {"kernels", "Kernels", kCount, "Kernels that its thread launched in it."},
        {"gradient", "Gradient", kText,
         "Its gradient's range: of the domain Gradient, and of the same name, or with `grad` at an "
         "end of it."},
        {"gradient_host", "Gradient, host", kTime, "Host time of the gradient's range."},
        {"gradient_device", "Gradient, device", kTime,
         "Time of device work launched in the gradient's range."},
    });

}  // namespace profgauge::analysis::catalog::columns
