// Columns of the tables of iterations, idle gaps and regions between marks. Filled by
// analysis/breakdown/: run_iterations.cc, idle.cc and marks.cc. Times are ns; those of a rank count
// from the start of its own profile.
#pragma once

#include "analysis/catalog/shared_columns.h"
#include "base/metric_id.h"

namespace profgauge::analysis::catalog::columns {

// Rows are sorted by number. The parts from `tensor_core_kernel` to `other` are exclusive, and add
// up to `duration` minus `unobserved`. Overlapping kernels count separately in `gpu_time`.
inline constexpr ColumnSpec kIterations[] = {
    {"index", "Iteration", kCount, "Position in the profile, from 0."},
    {"name", "Name", kText, "Number or name that the marker gives."},
    kRank,
    {"start", "Start", kTime, "Start, from the start of the profile."},
    {"duration", "Duration", kTime,
     "Length: up to the end of the last device work launched in it."},
    {"unobserved", "Unobserved", kTime, "Time of it that was not recorded."},
    {"typical", "Typical", kTime,
     "Median length of the iterations that launch as many kernels, without time that was not "
     "recorded. All iterations count if these are fewer than three or of many kinds. If inputs "
     "change in size: the time of its kernels plus the median of the rest."},
    {"tensor_core_kernel", "Kernels on {{ device.matrix_units }}", kTime,
     "Time with a kernel on {{ device.matrix_units }} running."},
    {"other_kernel", "Other kernels", kTime, "Time with only other computing kernels running."},
    {"memcpy", "Copies", kTime, "Time with copies and neither computation nor collectives."},
    {"memset", "Sets", kTime, "Time with memsets only."},
    {"communication", "Communication", kTime, "Time in collectives and no computation."},
    {"runtime", "Runtime calls", kTime,
     "Time in runtime and driver calls while the {{ device.device }} is idle."},
    {"dataloader", "Data loader", kTime,
     "Time waiting for input data while the {{ device.device }} is idle.",
     metric::kDataloaderExposedShare},
    {"cpu", "Host", kTime, "Time in operators on the host while the {{ device.device }} is idle."},
    {"other", "Unattributed", kTime,
     "The rest. The nine parts add up to the duration without unobserved time."},
    {"kernels", "Kernels", kCount, "Kernels launched in it."},
    {"tensor_core_kernels", "{{ device.matrix_unit }} kernels launched", kCount,
     "Kernels launched in it that use {{ device.matrix_units }}."},
    {"gpu_time", "{{ device.device }} time", kTime,
     "Sum of the durations of the kernels launched in it."},
    {"gpu_time_share", "{{ device.device }} time share", kShare,
     "{{ device.device }} time / (duration times {{ device.device }}s of the rank); kernels that "
     "overlap count each."},
    {"tensor_core_gpu_time", "{{ device.matrix_unit }} {{ device.device }} time", kTime,
     "{{ device.device }} time of kernels that use {{ device.matrix_units }}."},
    {"tensor_core_gpu_time_share", "{{ device.matrix_unit }} {{ device.device }} time share",
     kShare, "Its share of the duration times {{ device.device }}s of the rank."},
    {"phase", "Phase", kText,
     "Phase of a serving engine's step: decode, prefill, mixed, diffusion or evaluation."},
};

// Iterations that the selection excludes, by position; each on its slowest rank.
inline constexpr ColumnSpec kOtherIterations[] = {
    {"index", "Iteration", kCount, "Position in the profile, from 0."},
    {"name", "Name", kText, "Number or name that the marker gives."},
    {"start", "Start", kTime, "Start, from the start of the profile."},
    {"duration", "Duration", kTime,
     "Length: up to the end of the last device work launched in it; on its slowest rank."},
};

// The longest gaps first, at most 10 000. Sums of these rows are not the total idle time, for which
// rules must use gpu.idle_cause.*.
inline constexpr ColumnSpec kGaps[] = {
    kRank,
    kGpu,
    {"start", "Start", kTime, "Start, from the start of the profile."},
    {"duration", "Duration", kTime, "Length.", metric::kGpuIdleMean},
    {"cause", "Cause", kText, "Main cause, with the titles of gpu.idle_cause."},
    {"iteration", "Iteration", kCount, "Position of the iteration in which it begins."},
    {"before", "Work before", kText, "Device work that ends where the gap starts."},
    {"after", "Work after", kText, "Device work that starts where the gap ends."},
    {"op", "Operator after", kText, "Operator that launched the work after the gap."},
    {"doing", "Host does", kText,
     "Innermost function of the user's files, operator, range or garbage collection that covers "
     "nine tenths of the gap on the host, else half, with file and line where recorded."},
    {"within", "Host is within", kText,
     "The outermost of them that does not run during the whole window."},
    {"call", "Held in", kText,
     "Call that takes more than half of the gap, on the launching thread. While work was queued: "
     "on "
     "any thread, a call that blocks, or a copy that takes at least 1 ms. Only while memory is "
     "managed, work launched or queued."},
    {"category", "Host work", kText,
     "Kind of that work, by the two names: data loader, preprocessing, synchronization, …; first "
     "use where code is loaded."},
};

// Sorted by rank, then time; the regions of a rank cover its profile.
inline constexpr ColumnSpec kRegions[] = {
    kRank,
    {"from", "From", kText, "Mark where it begins."},
    {"to", "To", kText, "Mark where it ends."},
    {"start", "Start", kTime, "Start, from the start of the profile."},
    {"duration", "Duration", kTime, "Length."},
    {"busy", "Busy", kTime, "Time in which a device is busy."},
    {"busy_share", "Busy, share", kShare, "Busy time by the duration."},
    {"kernels", "Kernels", kCount, "Kernels (instructions of engines) that start in it."},
    {"kernel_time", "Kernel time", kTime, "Sum of their durations."},
    {"copies", "Copies and memsets", kCount, "Copies and memsets that start in it."},
    {"copy_time", "Copy time", kTime, "Sum of their durations."},
    {"copy_bytes", "Copied", kBytes, "Bytes of these, where recorded."},
};

}  // namespace profgauge::analysis::catalog::columns
