// Where the time of iterations goes, and how busy devices are: a part of the metric catalogue.
#include "analysis/tables/catalogue_parts.h"

namespace profgauge {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;
using namespace catalogue;

constexpr MetricSpec kTimeMetrics[] = {
    {"profile.wall_time", "Wall time", kTime, kLowerIsBetter, kOther,
     "Length of the window: from the start of the first selected iteration to the end of the last; "
     "of several ranks the longest.",
     "end(last) − start(first)", kBoth},
    {"profile.iterations", "Iterations", kCount, kNeutral, kSum,
     "Selected iterations of the run; those of several ranks are matched by number.", "", kBoth},
    {"profile.ranks_missing", "Ranks missing", kCount, kLowerIsBetter, kOther,
     "Ranks of the world that are not in this run of several.", "world size − ranks", kOurs},
    {"profile.ranks_without_work", "Ranks without {{ device.device }} work", kCount, kLowerIsBetter,
     kOther,
     "Recordings of this run without any {{ device.device }} work that list a {{ device.device }} "
     "or call its runtime, where others have some.",
     "", kOurs},
    {"profile.ranks", "Ranks", kCount, kNeutral, kOther, "Recordings in this run, one per rank.",
     "", kOurs},
    {"profile.gpus", "{{ device.device }}s", kCount, kNeutral, kOther,
     "{{ device.device }}s with work in the recording, over all ranks.", "", kDlprof},
    {"profile.gpus_listed", "{{ device.device }}s of the machine", kCount, kNeutral, kOther,
     "{{ device.device }}s that the profiler found on the machine, with work or without; of "
     "several ranks the most that one of them lists.",
     "", kDlprof},
    {"iteration.time.mean", "Mean iteration time", kTime, kLowerIsBetter, kRatio,
     "Arithmetic mean of the selected iterations' lengths, each without what the recording does "
     "not show of it (the profiler's own stop); with several ranks an iteration lasts as long as "
     "on its slowest rank, within 2 % the one that waits least.",
     "Σ (length − unobserved) / n", kBoth},
    {"iteration.time.median", "Median iteration time", kTime, kLowerIsBetter, kQuantile,
     "Median of the selected iterations' lengths, each on its slowest rank and as observed.", "",
     kOurs},
    {"iteration.time.min", "Shortest iteration", kTime, kLowerIsBetter, kQuantile,
     "Length of the shortest selected iteration, each on its slowest rank and as observed.", "",
     kDlprof},
    {"iteration.time.max", "Longest iteration", kTime, kLowerIsBetter, kMax,
     "Length of the longest selected iteration, each as observed.", "", kDlprof},
    {"iteration.time.p95", "95th percentile of iteration time", kTime, kLowerIsBetter, kQuantile,
     "Length that 95 % of the selected iterations, as observed, do not exceed; interpolated "
     "linearly.",
     "", kOurs},
    {"iteration.time.stddev", "Standard deviation of iteration time", kTime, kLowerIsBetter, kOther,
     "Sample standard deviation of the selected iterations' lengths, each without what the "
     "recording does not show of it (the profiler's own stop).",
     "√(Σ (x − mean)² / (n − 1))", kOurs},
    {"iteration.time.cv", "Coefficient of variation", kShare, kLowerIsBetter, kOther,
     "Standard deviation of the iteration time as a share of its mean, both of what was observed.",
     "stddev / mean", kOurs},
    {"iteration.time.robust_cv", "Iteration variance (robust)", kShare, kLowerIsBetter, kOther,
     "Median absolute deviation of the iteration time as a share of the median, both of what was "
     "observed, scaled to match the coefficient of variation of a normal distribution. Iterations "
     "that launch other numbers of kernels, at least three of each kind, or work on inputs of "
     "other "
     "sizes count by what is typical of those. Fewer than 10 iterations give low confidence.",
     "1.4826 · MAD / median", kOurs},
    {"iteration.outliers", "Outlier iterations", kCount, kLowerIsBetter, kOther,
     "Selected iterations that are longer than the median by more than three scaled median "
     "absolute deviations, all of what was observed, and each by what is typical of those that "
     "launch as many kernels, or of its inputs' sizes. Needs 8 iterations.",
     "count(x > median + 3 · 1.4826 · MAD)", kOurs},
    {"iteration.drift", "Drift of iteration time", kShare, kNeutral, kOther,
     "Theil–Sen slope of the iteration time per iteration as a share of the median, both of what "
     "was observed: positive is getting slower.",
     "median of pairwise slopes / median", kOurs},
    {"iteration.period.median", "Median time from start to start", kTime, kLowerIsBetter, kQuantile,
     "Median time from the start of a selected iteration to the start of the next, each on the "
     "rank "
     "where the iteration takes longest; the same as its length where nothing lies between them.",
     "start(next) − start", kOurs},
    {"iteration.between_share", "Time between iterations", kShare, kLowerIsBetter, kRatio,
     "Share of the time from start to start of the selected iterations that lies after the one and "
     "before the next: what runs there is in no iteration.",
     "Σ max(0, period − length) / Σ period", kOurs},
    {"profile.kernel_time", "Kernel time", kTime, kNeutral, kSum,
     "Sum of the durations of the kernels launched in the selected iterations, collectives "
     "included; where a recording lets kernels of one stream overlap (ROCm), each ends where the "
     "next begins.",
     "Σ duration", kBoth},

    {"breakdown.tensor_core_kernel", "Kernels on {{ device.matrix_units }}", kShare, kNeutral,
     kRatio,
     "Share of iteration time in which a kernel runs that surely uses {{ device.matrix_units }}.",
     kPartition, kBoth},
    {"breakdown.tensor_core_kernel.time", "Kernels on {{ device.matrix_units }}, time", kTime,
     kNeutral, kSum,
     "Iteration time in which a kernel runs that surely uses {{ device.matrix_units }}.",
     kPartitionTime, kBoth},
    {"breakdown.other_kernel", "Other kernels", kShare, kNeutral, kRatio,
     "Share of iteration time in which other computing kernels run and none on {{ "
     "device.matrix_units }}.",
     kPartitionShare, kBoth},
    {"breakdown.other_kernel.time", "Other kernels, time", kTime, kNeutral, kSum,
     "Iteration time in which other computing kernels run and none on {{ device.matrix_units }}.",
     kPartitionTime, kBoth},
    {"breakdown.memcpy", "Memory copies", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in which the {{ device.device }} copies and does not compute.",
     kPartitionShare, kBoth},
    {"breakdown.memcpy.time", "Memory copies, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in which the {{ device.device }} copies and does not compute.", kPartitionTime,
     kBoth},
    {"breakdown.memset", "Memory sets", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in which the {{ device.device }} only sets memory.", kPartitionShare,
     kBoth},
    {"breakdown.memset.time", "Memory sets, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in which the {{ device.device }} only sets memory.", kPartitionTime, kBoth},
    {"breakdown.communication", "Communication", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in collectives that neither computation nor copies hide.",
     kPartitionShare, kPlugin},
    {"breakdown.communication.time", "Communication, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in collectives that neither computation nor copies hide.", kPartitionTime,
     kPlugin},
    {"breakdown.runtime", "Runtime calls", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in calls of the {{ device.device }} runtime or driver while the {{ "
     "device.device }} is idle.",
     kPartitionShare, kPlugin},
    {"breakdown.runtime.time", "Runtime calls, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in calls of the {{ device.device }} runtime or driver while the {{ "
     "device.device }} is idle.",
     kPartitionTime, kPlugin},
    {"breakdown.dataloader", "Data loader", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time spent waiting for input data while the {{ device.device }} is idle.",
     kPartitionShare, kBoth},
    {"breakdown.dataloader.time", "Data loader, time", kTime, kLowerIsBetter, kSum,
     "Iteration time spent waiting for input data while the {{ device.device }} is idle.",
     kPartitionTime, kBoth},
    {"breakdown.cpu", "Other host work", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in framework operators on the host while the {{ device.device }} is "
     "idle.",
     kPartitionShare, kBoth},
    {"breakdown.cpu.time", "Other host work, time", kTime, kLowerIsBetter, kSum,
     "Iteration time in framework operators on the host while the {{ device.device }} is idle.",
     kPartitionTime, kBoth},
    {"breakdown.io", "I/O", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in reading and writing files, where a file states it (DLProf).", "",
     kDlprof},
    {"breakdown.other", "Unattributed", kShare, kLowerIsBetter, kRatio,
     "Share of iteration time in which nothing of the above was recorded.", kPartitionShare, kBoth},
    {"breakdown.other.time", "Unattributed, time", kTime, kLowerIsBetter, kSum,
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
    {"gpu.idle.time.mean", "{{ device.device }} idle time per iteration", kTime, kLowerIsBetter,
     kOther, "Idle time in and between the selected iterations, by their number; mean.", "", kOurs},
    {"gpu.idle.time.max", "Highest {{ device.device }} idle time per iteration", kTime,
     kLowerIsBetter, kOther, "Of the {{ device.device }} that idles longest per iteration.", "",
     kOurs},
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
    {"gpu.idle_cause.sync", "Idle: synchronization", kShare, kLowerIsBetter, kRatio,
     "Share of the window in which a {{ device.device }} idles because the launching thread is in "
     "a synchronizing call, or has left one that had drained the {{ device.device }}'s queue, for "
     "as long as that had held it; a copy that waits for earlier work or for its own end is such a "
     "call.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {"gpu.idle_cause.module_loading", "Idle: loading code", kShare, kLowerIsBetter, kRatio,
     "Share of the window in which a {{ device.device }} idles while the launching thread sets it "
     "up or loads code for it: in a call that does so, in one of at least 50 ms before the "
     "recording's first device work, in a cudaFree of at least 100 ms (libraries make their "
     "contexts by one that frees nothing), in waits for events inside a convolution of cuDNN or "
     "MIOpen (the search for its fastest algorithm), or in a launch of more than 200 µs that is "
     "the kernel's first.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {"gpu.idle_cause.memory_management", "Idle: memory management", kShare, kLowerIsBetter, kRatio,
     "Share of the window in which a {{ device.device }} idles while the launching thread "
     "allocates or frees device memory.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {"gpu.idle_cause.launch_latency",
     "Idle: launch latency",
     kShare,
     kLowerIsBetter,
     kRatio,
     "Share of the window in which a {{ device.device }} idles during the launching call of the "
     "next work, or for less than 30 µs after it, or turns from one piece of queued work to the "
     "next.",
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
};

}  // namespace

std::span<const MetricSpec> TimeMetrics() { return kTimeMetrics; }

}  // namespace profgauge
