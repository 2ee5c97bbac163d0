// The metric catalogue. Several ranks: counts and times are summed over ranks, shares are weighted
// by the time they are shares of; a definition says so where it is otherwise.
#include <fmt/format.h>

#include <deque>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/tables/catalogue_neuron.h"
#include "analysis/tables/scenario_metrics.h"

namespace profgauge {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;

constexpr std::string_view kDlprof = "DLProf";
constexpr std::string_view kPlugin = "TensorBoard plug-in";
constexpr std::string_view kBoth = "DLProf, TensorBoard plug-in";
constexpr std::string_view kHta = "HTA";
constexpr std::string_view kNsys = "Nsight Systems";
constexpr std::string_view kTraceLens = "TraceLens";
constexpr std::string_view kNccl = "nccl-tests, TraceLens";
constexpr std::string_view kOurs = "ours";

constexpr std::string_view kPartition =
    "free time ∩ category, in the order {{ device.matrix_unit }} kernels, other kernels, memcpy, "
    "memset, communication, runtime, DataLoader, CPU, other; summed over iterations and ranks / "
    "their length";
constexpr std::string_view kPartitionTime =
    "free time ∩ category, in the order of breakdown; summed over iterations and ranks";

constexpr std::string_view kPathParts =
    "binding dependencies from the end of the last selected iteration back to the beginning of the "
    "first; the nine parts add up to it; summed over ranks";

constexpr MetricSpec kMetrics[] = {
    {"profile.wall_time", "Wall time", kTime, kLowerIsBetter, kOther,
     "Length of the window: from the start of the first selected iteration to the end of the last; "
     "of several ranks the longest.",
     "end(last) − start(first)", kBoth},
    {"profile.iterations", "Iterations", kCount, kNeutral, kSum,
     "Selected iterations of the run; those of several ranks are matched by number.", "", kBoth},
    {"profile.ranks_missing", "Ranks missing", kCount, kLowerIsBetter, kOther,
     "Ranks of the world that are not in this run of several.", "world size − ranks", kOurs},
    {"profile.ranks", "Ranks", kCount, kNeutral, kOther, "Recordings in this run, one per rank.",
     "", kOurs},
    {"profile.gpus", "{{ device.device }}s", kCount, kNeutral, kOther,
     "{{ device.device }}s with work in the recording, over all ranks.", "", kDlprof},
    {"profile.gpus_listed", "{{ device.device }}s of the machine", kCount, kNeutral, kOther,
     "{{ device.device }}s that the profiler found on the machine, with work or without; of "
     "several ranks the most that one of them lists.",
     "", kDlprof},
    {"iteration.time.mean", "Mean iteration time", kTime, kLowerIsBetter, kRatio,
     "Arithmetic mean of the selected iterations' lengths; with several ranks an iteration lasts "
     "as long as on its slowest rank.",
     "Σ length / n", kBoth},
    {"iteration.time.median", "Median iteration time", kTime, kLowerIsBetter, kQuantile,
     "Median of the selected iterations' lengths, each on its slowest rank.", "", kOurs},
    {"iteration.time.min", "Shortest iteration", kTime, kLowerIsBetter, kQuantile,
     "Length of the shortest selected iteration, each on its slowest rank.", "", kDlprof},
    {"iteration.time.max", "Longest iteration", kTime, kLowerIsBetter, kMax,
     "Length of the longest selected iteration.", "", kDlprof},
    {"iteration.time.p95", "95th percentile of iteration time", kTime, kLowerIsBetter, kQuantile,
     "Length that 95 % of the selected iterations do not exceed, interpolated linearly.", "",
     kOurs},
    {"iteration.time.stddev", "Standard deviation of iteration time", kTime, kLowerIsBetter, kOther,
     "Sample standard deviation of the selected iterations' lengths.", "√(Σ (x − mean)² / (n − 1))",
     kOurs},
    {"iteration.time.cv", "Coefficient of variation", kShare, kLowerIsBetter, kOther,
     "Standard deviation of the iteration time as a share of its mean.", "stddev / mean", kOurs},
    {"iteration.time.robust_cv", "Iteration variance (robust)", kShare, kLowerIsBetter, kOther,
     "Median absolute deviation of the iteration time as a share of the median, scaled to match "
     "the coefficient of variation of a normal distribution. Fewer than 10 iterations give low "
     "confidence.",
     "1.4826 · MAD / median", kOurs},
    {"iteration.outliers", "Outlier iterations", kCount, kLowerIsBetter, kOther,
     "Selected iterations that are longer than the median by more than three scaled median "
     "absolute deviations.",
     "count(x > median + 3 · 1.4826 · MAD)", kOurs},
    {"iteration.drift", "Drift of iteration time", kShare, kNeutral, kOther,
     "Theil–Sen slope of the iteration time per iteration as a share of the median: positive is "
     "getting slower.",
     "median of pairwise slopes / median", kOurs},
    {"profile.kernel_time", "Kernel time", kTime, kNeutral, kSum,
     "Sum of the durations of the kernels launched in the selected iterations, collectives "
     "included; where a recording lets kernels of one stream overlap (ROCm), each ends where the "
     "next begins.",
     "Σ duration", kBoth},

    {"breakdown.tensor_core_kernel", "{{ device.matrix_unit }} kernels", kShare, kNeutral, kRatio,
     "Share of iteration time in which a kernel runs that surely uses {{ device.matrix_units }}.",
     kPartition, kBoth},
    {"breakdown.tensor_core_kernel.time", "{{ device.matrix_unit }} kernels, time", kTime, kNeutral,
     kSum, "Iteration time in which a kernel runs that surely uses {{ device.matrix_units }}.",
     kPartitionTime, kBoth},
    {"breakdown.other_kernel", "Other kernels", kShare, kNeutral, kRatio,
     "Share of iteration time in which other computing kernels run and none on {{ "
     "device.matrix_units }}.",
     kPartition, kBoth},
    {"breakdown.other_kernel.time", "Other kernels, time", kTime, kNeutral, kSum,
     "Iteration time in which other computing kernels run and none on {{ device.matrix_units }}.",
     kPartitionTime, kBoth},
    {"breakdown.memcpy", "Memory copies", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in which the {{ device.device }} copies and does not compute.",
     kPartition, kBoth},
    {"breakdown.memcpy.time", "Memory copies, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in which the {{ device.device }} copies and does not compute.", kPartitionTime,
     kBoth},
    {"breakdown.memset", "Memory sets", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in which the {{ device.device }} only sets memory.", kPartition,
     kBoth},
    {"breakdown.memset.time", "Memory sets, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in which the {{ device.device }} only sets memory.", kPartitionTime, kBoth},
    {"breakdown.communication", "Communication", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in collectives that neither computation nor copies hide.", kPartition,
     kPlugin},
    {"breakdown.communication.time", "Communication, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in collectives that neither computation nor copies hide.", kPartitionTime,
     kPlugin},
    {"breakdown.runtime", "Runtime", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in calls of the {{ device.device }} runtime or driver while the {{ "
     "device.device }} is idle.",
     kPartition, kPlugin},
    {"breakdown.runtime.time", "Runtime, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in calls of the {{ device.device }} runtime or driver while the {{ "
     "device.device }} is idle.",
     kPartitionTime, kPlugin},
    {"breakdown.dataloader", "DataLoader", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time spent waiting for input data while the {{ device.device }} is idle.",
     kPartition, kBoth},
    {"breakdown.dataloader.time", "DataLoader, time", kTime, kLowerIsBetter, kSum,
     "Iteration time spent waiting for input data while the {{ device.device }} is idle.",
     kPartitionTime, kBoth},
    {"breakdown.cpu", "CPU", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in framework operators on the host while the {{ device.device }} is "
     "idle.",
     kPartition, kBoth},
    {"breakdown.cpu.time", "CPU, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in framework operators on the host while the {{ device.device }} is idle.",
     kPartitionTime, kBoth},
    {"breakdown.other", "Other", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in which nothing of the above was recorded.", kPartition, kBoth},
    {"breakdown.other.time", "Other, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in which nothing of the above was recorded.", kPartitionTime, kBoth},

    {"gpu.utilization.mean", "{{ device.device }} utilization", kShare, kHigherIsBetter, kRatio,
     "Share of the window in which at least one kernel runs, mean over the {{ device.device }}s "
     "with work; copies do not count.",
     "|U(kernels) ∩ window| / window", kBoth},
    {"gpu.utilization.min", "Lowest {{ device.device }} utilization", kShare, kHigherIsBetter,
     kOther, "{{ device.device }} utilization of the least used {{ device.device }} with work.",
     "|U(kernels) ∩ window| / window", kBoth},
    {"gpu.idle.mean", "{{ device.device }} idle time", kShare, kLowerIsBetter, kRatio,
     "Share of the observed window in which nothing runs on a {{ device.device }}, mean over the "
     "{{ "
     "device.device }}s with work.",
     "1 − |U(kernels, copies, sets) ∩ window| / window", kHta},
    {"gpu.idle.max", "Highest {{ device.device }} idle time", kShare, kLowerIsBetter, kOther,
     "Of the {{ device.device }} that idles most.",
     "1 − |U(kernels, copies, sets) ∩ window| / window", kHta},
    {"gpu.idle_cause.host_wait",
     "Idle: host not ready",
     kShare,
     kLowerIsBetter,
     kRatio,
     "Share of the window in which a {{ device.device }} idles because the host had not yet "
     "launched the next work, for none of the other causes.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kHta,
     {},
     3},
    {"gpu.idle_cause.dataloader", "Idle: waiting for data", kShare, kLowerIsBetter, kRatio,
     "Share of the window in which a {{ device.device }} idles while the host waits for input "
     "data.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {"gpu.idle_cause.sync",
     "Idle: synchronization",
     kShare,
     kLowerIsBetter,
     kRatio,
     "Share of the window in which a {{ device.device }} idles because the launching thread is in "
     "a synchronizing call, or has left one that had drained the {{ device.device }}'s queue, for "
     "as long as that had held it; a copy that waits for earlier work or for its own end is such a "
     "call.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs,
     {},
     3},
    {"gpu.idle_cause.module_loading",
     "Idle: loading code",
     kShare,
     kLowerIsBetter,
     kRatio,
     "Share of the window in which a {{ device.device }} idles while the launching thread sets it "
     "up or loads code for it: in a call that does so, in one of at least 50 ms before the "
     "recording's first device work, or in a launch of more than 200 µs that is the kernel's "
     "first.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs,
     {},
     2},
    {"gpu.idle_cause.memory_management",
     "Idle: memory management",
     kShare,
     kLowerIsBetter,
     kRatio,
     "Share of the window in which a {{ device.device }} idles while the launching thread "
     "allocates or frees device memory.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs,
     {},
     2},
    {"gpu.idle_cause.launch_latency",
     "Idle: launch latency",
     kShare,
     kLowerIsBetter,
     kRatio,
     "Share of the window in which a {{ device.device }} idles during the launching call of the "
     "next work, or for less than 30 µs after it.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kHta,
     {},
     2},
    {"gpu.idle_cause.other", "Idle: other", kShare, kLowerIsBetter, kRatio,
     "Share of the window in which a {{ device.device }} idles for a reason that the recording "
     "does not show.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kHta},
    {"gpu.sm_efficiency", "Estimated {{ device.core }} efficiency", kShare, kHigherIsBetter, kRatio,
     "Blocks per {{ device.multiprocessor }} of the running kernels, at most 1, averaged over the "
     "window; mean over the {{ device.device }}s with work.",
     "∫ min(1, Σ blocks per {{ device.core }}) dt / window", kPlugin},
    {"gpu.occupancy", "Estimated achieved occupancy", kShare, kHigherIsBetter, kRatio,
     "Occupancy estimated from the launch properties, weighted by kernel time in the window.",
     "Σ occupancy · duration / Σ duration", kPlugin},

    {"gpu.measured.tensor_active", "{{ device.matrix_pipe }}s active (measured)", kShare,
     kHigherIsBetter, kOther,
     "Share of cycles in which the {{ device.matrix_pipe }}s were active, as the {{ device.device "
     "}}'s counters sampled it; mean over the whole capture.",
     "", kNsys},
    {"gpu.measured.sm_active", "{{ device.core }}s active (measured)", kShare, kHigherIsBetter,
     kOther,
     "Share of cycles in which a {{ device.multiprocessor }} had work, as the {{ device.device "
     "}}'s counters sampled it; mean over the whole capture.",
     "", kNsys},
    {"gpu.measured.dram_read", "DRAM read bandwidth (measured)", kShare, kNeutral, kOther,
     "Share of the peak bandwidth of device memory used for reading, as the {{ device.device }}'s "
     "counters sampled it; mean over the whole capture.",
     "", kNsys},
    {"gpu.measured.dram_write", "DRAM write bandwidth (measured)", kShare, kNeutral, kOther,
     "Share of the peak bandwidth of device memory used for writing, as the {{ device.device }}'s "
     "counters sampled it; mean over the whole capture.",
     "", kNsys},
    {"tensor_core.efficiency", "{{ device.matrix_unit }} efficiency", kShare, kHigherIsBetter,
     kRatio,
     "Of the kernel time in operators that could use {{ device.matrix_units }}, the share in "
     "kernels that surely do. Elsewhere kernels of matrix products count.",
     "Σ time of {{ device.matrix_unit }} kernels in eligible ops / Σ kernel time of eligible ops",
     kDlprof},
    {"tensor_core.share", "{{ device.matrix_unit }} share", kShare, kHigherIsBetter, kRatio,
     "Share of kernel time in kernels that surely use {{ device.matrix_units }}.",
     "Σ time of {{ device.matrix_unit }} kernels / Σ kernel time", kPlugin},
    {"tensor_core.unknown_share", "Undecided kernel time", kShare, kNeutral, kRatio,
     "Share of kernel time in kernels whose name does not tell whether they use {{ "
     "device.matrix_units }}; they count as not using them.",
     "Σ time of undecided kernels / Σ kernel time", kOurs},
    {"tensor_core.eligible_share", "Eligible kernel time", kShare, kNeutral, kRatio,
     "Share of kernel time in operators that could use {{ device.matrix_units }}.",
     "Σ kernel time of eligible ops / Σ kernel time", kPlugin},

    {"tensor_core.kernels_per_iteration", "{{ device.matrix_unit }} kernels per iteration", kNumber,
     kHigherIsBetter, kRatio,
     "Kernels launched in the selected iterations that surely use {{ device.matrix_units }}, per "
     "iteration; mean over ranks.",
     "{{ device.matrix_unit }} kernels / iterations", kOurs},

    {"kernel.count_per_iteration", "Kernels per iteration", kNumber, kLowerIsBetter, kRatio,
     "Kernels launched in the selected iterations, per iteration; mean over ranks.",
     "kernels / iterations", kHta},
    {"kernel.short_share", "Short kernels", kShare, kLowerIsBetter, kRatio,
     "Share of kernel time in kernels shorter than 10 µs.",
     "Σ duration of kernels under 10 µs / Σ kernel time", kTraceLens},

    {"launch.count_per_iteration", "Launches per iteration", kNumber, kLowerIsBetter, kRatio,
     "Calls of the selected iterations that launched {{ device.device }} work (kernels, copies, "
     "sets), per iteration; a call that launches a graph counts once; mean over ranks.",
     "launching calls / iterations", kOurs},
    {"launch.delay.median", "Launch delay", kTime, kNeutral, kQuantile,
     "Median time from the end of a call of the selected iterations that launches kernels to the "
     "start of the first of them, 0 when that starts earlier; a call that launches a graph counts "
     "once.",
     "median of max(0, start of work − end of call)", kHta},
    {"launch.queue_empty_share", "Launches into an empty queue", kShare, kLowerIsBetter, kRatio,
     "Share of the selected iterations' launches that find no earlier work of their stream still "
     "waiting to start: near 1 the host limits the {{ device.device }}. A call that launches a "
     "graph counts once.",
     "launches at queue length 0 / launches", kHta},
    {"launch.captured_share", "Captured launches", kShare, kNeutral, kOther,
     "Launching calls that were captured into a graph and did not run, as a share of these and of "
     "the kernels that ran; over the whole recording, absent where no graph was captured.",
     "launches within a capture / (these + kernels)", kOurs},
    {"sync.time_share", "Synchronization", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in which the host is blocked in a synchronizing call.",
     "|U(synchronizing calls) ∩ iterations| / iterations", kNsys},

    {"memcpy.h2d.time", "Host to device, time", kTime, kLowerIsBetter, kSum,
     "Sum of the durations of copies from host to device.", "Σ duration", kHta},
    {"memcpy.h2d.bytes", "Host to device, bytes", kBytes, kLowerIsBetter, kSum,
     "Bytes copied from host to device.", "Σ bytes", kHta},
    {"memcpy.h2d.bytes_per_iteration", "Host to device, bytes per iteration", kBytes,
     kLowerIsBetter, kRatio,
     "Bytes that the selected iterations copied from host to device, per iteration; mean over "
     "ranks.",
     "Σ bytes / iterations", kOurs},
    {"memcpy.h2d.bandwidth", "Host to device, bandwidth", kBandwidth, kHigherIsBetter, kRatio,
     "Bytes copied from host to device, by the time this took.", "Σ bytes / Σ duration", kHta},
    {"memcpy.d2h.time", "Device to host, time", kTime, kLowerIsBetter, kSum,
     "Sum of the durations of copies from device to host.", "Σ duration", kHta},
    {"memcpy.d2h.bytes", "Device to host, bytes", kBytes, kLowerIsBetter, kSum,
     "Bytes copied from device to host.", "Σ bytes", kHta},
    {"memcpy.d2h.bytes_per_iteration", "Device to host, bytes per iteration", kBytes,
     kLowerIsBetter, kRatio,
     "Bytes that the selected iterations copied from device to host, per iteration; mean over "
     "ranks.",
     "Σ bytes / iterations", kOurs},
    {"memcpy.d2h.bandwidth", "Device to host, bandwidth", kBandwidth, kHigherIsBetter, kRatio,
     "Bytes copied from device to host, by the time this took.", "Σ bytes / Σ duration", kHta},
    {"memcpy.d2d.time", "Device to device, time", kTime, kLowerIsBetter, kSum,
     "Sum of the durations of copies within and between devices.", "Σ duration", kHta},
    {"memcpy.d2d.bytes", "Device to device, bytes", kBytes, kLowerIsBetter, kSum,
     "Bytes copied within and between devices.", "Σ bytes", kHta},
    {"memcpy.d2d.bytes_per_iteration", "Device to device, bytes per iteration", kBytes,
     kLowerIsBetter, kRatio,
     "Bytes that the selected iterations copied within and between devices, per iteration; mean "
     "over ranks.",
     "Σ bytes / iterations", kOurs},
    {"memcpy.d2d.bandwidth", "Device to device, bandwidth", kBandwidth, kHigherIsBetter, kRatio,
     "Bytes copied within and between devices, by the time this took.", "Σ bytes / Σ duration",
     kHta},
    {"memcpy.pageable_share", "Pageable copies", kShare, kLowerIsBetter, kRatio,
     "Share of the bytes copied between host and device that the host kept in pageable memory, of "
     "those copies whose host memory is known.",
     "Σ bytes of pageable copies / Σ bytes", kNsys},
    {"dataloader.exposed_share", "DataLoader wait", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time spent waiting for input data while the {{ device.device }} is idle.",
     "breakdown.dataloader", kBoth},

    {"critical.host.share", "Critical path: host", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in operators, calls that launch nothing, and Python between them.",
     kPathParts, kOurs},
    {"critical.host.time", "Critical path: host, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in operators, calls that launch nothing, and Python between them.",
     kPathParts, kOurs},
    {"critical.launch.share", "Critical path: launch", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in launching: from the beginning of a call to the beginning of "
     "its work, and from one kernel to the next on its stream.",
     kPathParts, kOurs},
    {"critical.launch.time", "Critical path: launch, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in launching: from the beginning of a call to the beginning of its "
     "work, and from one kernel to the next on its stream.",
     kPathParts, kOurs},
    {"critical.kernel.share", "Critical path: kernels", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in kernels that are no collectives.", kPathParts, kOurs},
    {"critical.kernel.time", "Critical path: kernels, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in kernels that are no collectives.", kPathParts, kOurs},
    {"critical.copy.share", "Critical path: copies", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in copies and memory sets.", kPathParts, kOurs},
    {"critical.copy.time", "Critical path: copies, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in copies and memory sets.", kPathParts, kOurs},
    {"critical.transfer.share", "Critical path: transfer", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in collectives; without the other ranks' recordings with waiting "
     "for them.",
     kPathParts, kOurs},
    {"critical.transfer.time", "Critical path: transfer, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in collectives; without the other ranks' recordings with waiting "
     "for them.",
     kPathParts, kOurs},
    {"critical.waiting.share", "Critical path: waiting for ranks", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in collectives before the last rank arrived.", kPathParts, kOurs},
    {"critical.waiting.time", "Critical path: waiting for ranks, time", kTime, kLowerIsBetter,
     kOther, "Time of the critical path in collectives before the last rank arrived.", kPathParts,
     kOurs},
    {"critical.dataloader.share", "Critical path: data loader", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in ranges of a data loader.", kPathParts, kOurs},
    {"critical.dataloader.time", "Critical path: data loader, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in ranges of a data loader.", kPathParts, kOurs},
    {"critical.sync.share", "Critical path: synchronization", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in calls that wait, beyond the work that they wait for.",
     kPathParts, kOurs},
    {"critical.sync.time", "Critical path: synchronization, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in calls that wait, beyond the work that they wait for.",
     kPathParts, kOurs},
    {"critical.unknown.share", "Critical path: unknown", kShare, kLowerIsBetter, kOther,
     "Share of the critical path in what no recorded dependency explains.", kPathParts, kOurs},
    {"critical.unknown.time", "Critical path: unknown, time", kTime, kLowerIsBetter, kOther,
     "Time of the critical path in what no recorded dependency explains.", kPathParts, kOurs},

    {"communication.time",
     "Communication time",
     kTime,
     kLowerIsBetter,
     kSum,
     "Time in which at least one collective runs on a {{ device.device }} (on the host, where the "
     "recording has none on a {{ device.device }}), summed over {{ device.device }}s. Absent where "
     "the program has several ranks and no kernel is known to communicate.",
     "Σ |U(collectives) ∩ window|",
     kHta,
     {},
     2},
    {"communication.overlap",
     "Hidden communication",
     kShare,
     kHigherIsBetter,
     kRatio,
     "Share of communication time in which the same {{ device.device }} also computes.",
     "Σ |U(collectives) ∩ U(compute)| / Σ |U(collectives)|, in the window",
     kHta,
     {},
     2},
    {"communication.exposed_share",
     "Exposed communication",
     kShare,
     kLowerIsBetter,
     kRatio,
     "Share of the window in which a {{ device.device }} communicates and does not compute. Absent "
     "where the program has several ranks and no kernel is known to communicate.",
     "Σ |U(collectives) − U(compute)| / Σ window",
     kTraceLens,
     {},
     2},
    {"communication.waiting_share", "Waiting for other ranks", kShare, kLowerIsBetter, kRatio,
     "Share of the ranks' iteration time in which only collectives run and the last of their ranks "
     "has not come.",
     "Σ exposed waiting / Σ iteration time", kOurs},
    {"communication.matched_share", "Collectives matched", kShare, kHigherIsBetter, kRatio,
     "Share of the collective calls that were found on all of their ranks.",
     "matched calls / calls, over all ranks", kOurs},
    {"communication.matched_time_share", "Collective time matched", kShare, kHigherIsBetter, kRatio,
     "Share of the time in collectives that matched calls take.",
     "Σ duration of matched calls / Σ duration", kOurs},
    {"communication.all_reduce.busbw",
     "All-reduce bus bandwidth",
     kBandwidth,
     kHigherIsBetter,
     kRatio,
     "Bus bandwidth of all-reduce, comparable to the link's: over the time that the fastest rank "
     "of each call needed. Needs the recordings of all ranks of a group.",
     "Σ bytes · 2(n − 1)/n / Σ transfer",
     kNccl,
     {},
     2},
    {"communication.all_reduce.busbw_unmatched", "All-reduce bandwidth with waiting", kBandwidth,
     kHigherIsBetter, kRatio,
     "Bus bandwidth of all-reduce over the whole duration, in which ranks also wait for each "
     "other: a lower bound, present only where no call could be matched over ranks.",
     "Σ bytes · 2(n − 1)/n / Σ duration", kNccl},
    {"communication.all_gather.busbw",
     "All-gather bus bandwidth",
     kBandwidth,
     kHigherIsBetter,
     kRatio,
     "Bus bandwidth of all-gather, comparable to the link's: over the time that the fastest rank "
     "of each call needed. Needs the recordings of all ranks of a group.",
     "Σ bytes of the full buffer · (n − 1)/n / Σ transfer",
     kNccl,
     {},
     2},
    {"communication.all_gather.busbw_unmatched", "All-gather bandwidth with waiting", kBandwidth,
     kHigherIsBetter, kRatio,
     "Bus bandwidth of all-gather over the whole duration, in which ranks also wait for each "
     "other: a lower bound, present only where no call could be matched over ranks.",
     "Σ bytes of the full buffer · (n − 1)/n / Σ duration", kNccl},
    {"communication.reduce_scatter.busbw",
     "Reduce-scatter bus bandwidth",
     kBandwidth,
     kHigherIsBetter,
     kRatio,
     "Bus bandwidth of reduce-scatter, comparable to the link's: over the time that the fastest "
     "rank of each call needed. Needs the recordings of all ranks of a group.",
     "Σ bytes of the full buffer · (n − 1)/n / Σ transfer",
     kNccl,
     {},
     2},
    {"communication.reduce_scatter.busbw_unmatched", "Reduce-scatter bandwidth with waiting",
     kBandwidth, kHigherIsBetter, kRatio,
     "Bus bandwidth of reduce-scatter over the whole duration, in which ranks also wait for each "
     "other: a lower bound, present only where no call could be matched over ranks.",
     "Σ bytes of the full buffer · (n − 1)/n / Σ duration", kNccl},
    {"communication.all_to_all.busbw",
     "All-to-all bus bandwidth",
     kBandwidth,
     kHigherIsBetter,
     kRatio,
     "Bus bandwidth of all-to-all of equal parts, comparable to the link's: over the time that the "
     "fastest rank of each call needed. Needs the recordings of all ranks of a group.",
     "Σ bytes · (n − 1)/n / Σ transfer",
     kNccl,
     {},
     2},
    {"communication.all_to_all.busbw_unmatched", "All-to-all bandwidth with waiting", kBandwidth,
     kHigherIsBetter, kRatio,
     "Bus bandwidth of all-to-all of equal parts over the whole duration, in which ranks also wait "
     "for each other: a lower bound, present only where no call could be matched over ranks.",
     "Σ bytes · (n − 1)/n / Σ duration", kNccl},
    {"communication.broadcast.busbw",
     "Broadcast bus bandwidth",
     kBandwidth,
     kHigherIsBetter,
     kRatio,
     "Bus bandwidth of broadcast, comparable to the link's: over the time that the fastest rank of "
     "each call needed. Needs the recordings of all ranks of a group.",
     "Σ bytes / Σ transfer",
     kNccl,
     {},
     2},
    {"communication.broadcast.busbw_unmatched", "Broadcast bandwidth with waiting", kBandwidth,
     kHigherIsBetter, kRatio,
     "Bus bandwidth of broadcast over the whole duration, in which ranks also wait for each other: "
     "a lower bound, present only where no call could be matched over ranks.",
     "Σ bytes / Σ duration", kNccl},
    {"communication.reduce.busbw",
     "Reduce bus bandwidth",
     kBandwidth,
     kHigherIsBetter,
     kRatio,
     "Bus bandwidth of reduce to one rank, comparable to the link's: over the time that the "
     "fastest rank of each call needed. Needs the recordings of all ranks of a group.",
     "Σ bytes / Σ transfer",
     kNccl,
     {},
     2},
    {"communication.reduce.busbw_unmatched", "Reduce bandwidth with waiting", kBandwidth,
     kHigherIsBetter, kRatio,
     "Bus bandwidth of reduce to one rank over the whole duration, in which ranks also wait for "
     "each other: a lower bound, present only where no call could be matched over ranks.",
     "Σ bytes / Σ duration", kNccl},
    {"communication.send_recv.busbw",
     "Send and receive bandwidth",
     kBandwidth,
     kHigherIsBetter,
     kRatio,
     "Bandwidth of point-to-point transfers, comparable to the link's: over the time that the "
     "fastest rank of each call needed. Needs the recordings of all ranks of a group.",
     "Σ bytes / Σ transfer",
     kNccl,
     {},
     2},
    {"communication.send_recv.busbw_unmatched", "Send and receive bandwidth with waiting",
     kBandwidth, kHigherIsBetter, kRatio,
     "Bandwidth of point-to-point transfers over the whole duration, in which ranks also wait for "
     "each other: a lower bound, present only where no call could be matched over ranks.",
     "Σ bytes / Σ duration", kNccl},
    {"rank.imbalance", "Imbalance between ranks", kShare, kLowerIsBetter, kOther,
     "Difference between the most and the least computing rank as a share of the mean.",
     "(max − min) / mean of the ranks' compute time", kOurs},
    {"rank.straggler",
     "Straggling rank",
     kNumber,
     kNeutral,
     kOther,
     "The rank that the others wait for, if one causes most of the waiting and does so steadily; "
     "its note says how often it is last and what takes longer there.",
     "largest Σ over the collectives it makes late of (second shortest − shortest duration)",
     kOurs,
     {},
     2},

    {"rank.step_skew", "Skew between ranks", kTime, kLowerIsBetter, kOther,
     "How far apart ranks end an iteration: the median over the iterations, on clocks that are "
     "aligned by the ends of matched collectives.",
     "median over iterations of (latest − earliest end)", kOurs},
    {"pipeline.bubble_share", "Pipeline bubble", kShare, kLowerIsBetter, kRatio,
     "Share of the iteration time of a pipeline's ranks in which they only wait for another stage.",
     "Σ bubble / Σ iteration time", kOurs},

    {"memory.peak_allocated", "Peak memory allocated", kBytes, kLowerIsBetter, kMax,
     "Most bytes that the allocator had given out on one {{ device.device }} at any time; of "
     "several the largest.",
     "", kPlugin},
    {"memory.peak_reserved", "Peak memory reserved", kBytes, kLowerIsBetter, kMax,
     "Most bytes that the allocator had reserved on one {{ device.device }} at any time; of "
     "several the largest.",
     "", kPlugin},
    {"memory.peak_share", "Peak share of device memory", kShare, kNeutral, kMax,
     "Peak memory allocated as a share of the {{ device.device }}'s memory; of several {{ "
     "device.device }}s the largest.",
     "peak allocated / device memory", kPlugin},
    {"memory.fragmentation", "Memory fragmentation", kShare, kLowerIsBetter, kOther,
     "Share of the reserved memory that was not given out when most was reserved; of several {{ "
     "device.device }}s the largest.",
     "1 − allocated / reserved at the peak of reserved", kOurs},

    {"flops.achieved",
     "Achieved FLOP/s",
     kFlopRate,
     kHigherIsBetter,
     kRatio,
     "Floating-point operations of the operators whose shapes are known, per second of each {{ "
     "device.device }}.",
     "Σ FLOPs / (window · {{ device.device }}s)",
     "TraceLens",
     {},
     2},
    {"flops.mfu",
     "Model FLOPs utilization",
     kShare,
     kHigherIsBetter,
     kRatio,
     "Share of the window that the model's operations would take at the {{ device.device }}'s "
     "dense peak of their type: forward and backward once, without what the backward pass computes "
     "again.",
     "Σ (FLOPs without recomputation / peak) / (window · {{ device.device }}s)",
     "PaLM (Chowdhery et al.)",
     {},
     2},
    {"flops.hfu", "Hardware FLOPs utilization", kShare, kHigherIsBetter, kRatio,
     "Share of the window that all operations, recomputation included, would take at the {{ "
     "device.device }}'s dense peak of their type.",
     "Σ (FLOPs / peak) / (window · {{ device.device }}s)",
     "Megatron-LM (Korthikanti et al.), TraceLens"},

    {"npu.cube_utilization", "Cube utilization", kShare, kHigherIsBetter, kRatio,
     "Share of the time of matrix kernels in which the cube units of the NPU compute.",
     "Σ cube utilization · duration / Σ duration", "Ascend", "ascend"},

    {"coverage.linked_share", "{{ device.device }} time with a known operator", kShare,
     kHigherIsBetter, kOther,
     "Share of {{ device.device }} time (kernels, copies, sets) in the selected iterations whose "
     "launching operator is known.",
     "Σ duration with an operator / Σ duration, of what starts in them", kOurs},
    {"coverage.kernel_share", "Kernel time recorded by kernel", kShare, kHigherIsBetter, kOther,
     "Share of the kernel time that was recorded kernel by kernel; the rest lies in {{ "
     "device.graph }}s that were recorded whole.",
     "kernels / (kernels + graphs)", kNsys},
    {"coverage.launched_share", "{{ device.device }} time with a known launch", kShare,
     kHigherIsBetter, kOther,
     "Share of {{ device.device }} time in the selected iterations whose launching call was "
     "recorded.",
     "Σ duration with a launch / Σ duration, of what starts in them", kOurs},
    {"coverage.backlog_time", "Backlog at the start", kTime, kNeutral, kOther,
     "Time at the start of the recording in which the {{ device.device }} still works on what was "
     "launched before it, and which counts for no iteration; of several ranks the longest.",
     "start of the first iteration − start of its marker; without markers, start of the first {{ "
     "device.device }} work − end of the call that launched it",
     kOurs},
    {"coverage.outside_share", "{{ device.device }} time launched outside of iterations", kShare,
     kNeutral, kOther,
     "Share of the whole recording's {{ device.device }} time that was not launched in a selected "
     "iteration; where launches are not recorded, that did not start in one.",
     "Σ duration launched elsewhere / Σ duration", kOurs},
};

// Metrics that changed their meaning, by the start of their ids; all others have definition 1.
struct Redefined {
  std::string_view prefix;
  std::int32_t number;
};
constexpr Redefined kRedefined[] = {
    // Only work that the iterations launched counts; an iteration waits for work from before;
    // without iterations the window is where the device can be observed.
    {"profile.wall_time", 2},
    {"profile.kernel_time", 2},
    {"iteration.", 2},
    {"breakdown.", 2},
    {"dataloader.", 2},
    {"gpu.utilization.", 2},
    {"gpu.idle", 3},
    {"gpu.sm_efficiency", 2},
    {"gpu.occupancy", 2},
    {"sync.", 2},
    {"tensor_core.", 3},
    {"kernel.", 2},
    {"memcpy.", 2},
    {"communication.", 2},
    {"flops.", 2},
    // What runs before and after the iterations does not count.
    {"coverage.linked_share", 2},
    {"coverage.launched_share", 2},
    // A call that launches a graph is one launch.
    {"launch.delay.median", 2},
    {"launch.queue_empty_share", 2},
};

}  // namespace

std::span<const MetricSpec> MetricCatalogue() {
  static const std::vector<MetricSpec> kAll = [] {
    std::vector<MetricSpec> all(std::begin(kMetrics), std::end(kMetrics));
    all.insert(all.end(), NeuronMetrics().begin(), NeuronMetrics().end());
    for (MetricSpec& spec : all) {
      for (const Redefined& redefined : kRedefined) {
        if (spec.id.starts_with(redefined.prefix)) spec.definition_number = redefined.number;
      }
    }
    return all;
  }();
  return kAll;
}

std::string_view PoolingName(Pooling pooling) {
  switch (pooling) {
    case kSum:
      return "sum";
    case kRatio:
      return "ratio";
    case kQuantile:
      return "quantile";
    case kMax:
      return "max";
    case kOther:
      break;
  }
  return "other";
}

std::string_view ScenarioOfMetric(std::string_view id) {
  constexpr std::string_view kPrefix = "what_if.";
  if (!id.starts_with(kPrefix)) return {};
  const std::string_view rest = id.substr(kPrefix.size());
  const std::size_t dot = rest.find('.');
  if (dot == rest.npos) return {};
  const std::string_view number = rest.substr(dot + 1);
  return number == "iteration_time" || number == "gain_share" ? rest.substr(0, dot)
                                                              : std::string_view();
}

namespace {

// Entries for the scenarios that were asked for, made once each.
const MetricSpec* ScenarioMetric(std::string_view id) {
  const std::string_view name = ScenarioOfMetric(id);
  if (name.empty()) return nullptr;
  struct Entry {
    std::string id, title;
    MetricSpec spec;
  };
  static std::mutex mutex;
  static std::deque<Entry> entries;  // Never moves what is in it.
  const std::lock_guard lock(mutex);
  for (const Entry& entry : entries) {
    if (entry.id == id) return &entry.spec;
  }
  const bool is_share = id.ends_with(".gain_share");
  Entry& entry = entries.emplace_back();
  entry.id = id;
  entry.title =
      fmt::format("{}: {}", name, is_share ? "predicted gain" : "predicted iteration time");
  entry.spec = {entry.id,
                entry.title,
                is_share ? kShare : kTime,
                kLowerIsBetter,
                kOther,
                is_share ? "Share of the mean iteration time that the scenario would save."
                         : "Mean iteration time that the scenario would leave.",
                "replay of the recorded dependencies with the scenario's changes",
                kOurs};
  return &entry.spec;
}

}  // namespace

const MetricSpec* FindMetric(std::string_view id) {
  for (const MetricSpec& spec : MetricCatalogue()) {
    if (spec.id == id) return &spec;
  }
  return ScenarioMetric(id);
}

}  // namespace profgauge
