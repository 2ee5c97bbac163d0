// Metrics of computed, launched, copied and communicated work, and of memory: a part of the metric
// catalog.

#include "analysis/catalog/catalogue.h"
#include "analysis/catalog/catalogue_parts.h"

namespace profgauge::analysis::catalog {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;
using namespace catalogue;

// A row: id, title, unit, range, better direction, pooling over iterations, basis, number of the
// definition, definition, formula, source. Increase the number if the meaning changes: baselines
// with another number are not compared.
constexpr MetricSpec kWorkMetrics[] = {
    {metric::kTensorCoreEfficiency, "{{ device.matrix_unit }} efficiency", kShare, kUpToOne,
     kHigherIsBetter, kRatio, kOfNames | kOfGpuUnits, 4,
     "Share of the kernel time of {{ device.matrix_unit }} eligible operators that is in kernels "
     "confirmed to use them. Outside operators, matmul kernels count. A matrix-vector product, "
     "a depthwise convolution, and casts and layout conversions of CANN are not eligible.",
     "Σ time of {{ device.matrix_unit }} kernels in eligible operators / Σ kernel time of eligible "
     "operators",
     kDlprof},
    {metric::kTensorCoreShare, "{{ device.matrix_unit }} share", kShare, kUpToOne, kHigherIsBetter,
     kRatio, kOfNames | kOfGpuUnits, 3,
     "Share of kernel time in kernels confirmed to use {{ device.matrix_units }}.",
     "Σ time of {{ device.matrix_unit }} kernels / Σ kernel time", kPlugin},
    {metric::kTensorCoreUnknownShare, "Undecided kernel time", kShare, kUpToOne, kNeutral, kRatio,
     kOfGpuUnits, 3,
     "Share of kernel time in kernels whose name leaves it unclear whether they use {{ "
     "device.matrix_units }}, and in graphs recorded as a whole. They count as not using them.",
     "Σ time of undecided kernels / Σ kernel time", kOurs},
    {metric::kTensorCoreEligibleShare, "Eligible kernel time", kShare, kUpToOne, kNeutral, kRatio,
     kOfNames | kOfGpuUnits, 4,
     "Share of kernel time whose innermost operator could use {{ device.matrix_units }}. Operators "
     "around an eligible one do not count.",
     "Σ kernel time of eligible operators / Σ kernel time", kPlugin},

    {metric::kTensorCoreKernelsPerIteration, "{{ device.matrix_unit }} kernels per iteration",
     kNumber, kFromZero, kHigherIsBetter, kRatio, kOfTimes | kOfNames | kOfGpuUnits, 3,
     "Kernels launched in the selected iterations confirmed to use {{ device.matrix_units }}, per "
     "iteration; mean over ranks.",
     "{{ device.matrix_unit }} kernels / iterations", kOurs},

    {metric::kKernelCountPerIteration, "Kernels per iteration", kNumber, kFromZero, kLowerIsBetter,
     kRatio, kOfTimes | kOfGpuUnits, 3,
     "Kernels launched in the selected iterations, per iteration; mean over ranks.",
     "kernels / iterations", kHta},
    {metric::kKernelShortShare, "Short kernels", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfGpuUnits, 3,
     "Share of kernel time in kernels below the threshold `kernels.short`: 10 µs, unless a policy "
     "sets it.",
     "Σ duration of short kernels / Σ kernel time", kTraceLens},

    {metric::kLaunchCountPerIteration, "Launches per iteration", kNumber, kFromZero, kLowerIsBetter,
     kRatio, kOfTimes | kOfGpuUnits, 1,
     "Calls of the selected iterations that launched {{ device.device }} work (kernels, copies, "
     "memsets), per iteration; a call that launches a graph counts once; mean over ranks.",
     "launching calls / iterations", kOurs},
    {metric::kLaunchDelayMedian, "Launch delay", kTime, kFromZero, kNeutral, kQuantile,
     kOfTimes | kOfExecution | kOfGpuUnits, 2,
     "Median time from the end of a call of the selected iterations that launches kernels to the "
     "start of the first of them, 0 when that starts earlier; a call that launches a graph counts "
     "once.",
     "median of max(0, start of work − end of call)", kHta},
    {metric::kLaunchQueueEmptyShare, "Launches into an empty queue", kShare, kUpToOne,
     kLowerIsBetter, kRatio, kOfTimes | kOfExecution | kOfAllWork | kOfGpuUnits, 2,
     "Share of the selected iterations' launches that find no earlier work of their stream still "
     "waiting to start: near 1 the host limits the {{ device.device }}. A call that launches a "
     "graph counts once. The queue is the launches that have not begun when the next one is made; "
     "a graph is one launch.",
     "launches at queue length 0 / launches", kHta},
    {metric::kLaunchWaitShare, "Idle between launches", kShare, kUpToOne, kLowerIsBetter, kOther,
     kOfTimes | kOfExecution | kOfAllWork | kOfGpuUnits, 1,
     "Share of the window in which a {{ device.device }} idles between two pieces of work because "
     "the host had not yet launched the second, or during its launch. Over the time from the first "
     "iteration's begin to the last one's end, the time between iterations included.",
     "Σ idle of host_wait and launch_latency, without the time before the first and after the last "
     "work / window, mean over {{ device.device }}s",
     kOurs},
    {metric::kLaunchCapturedShare, "Captured launches", kShare, kUpToOne, kNeutral, kOther,
     kOfTimes | kOfGpuUnits, 1,
     "Launching calls that were captured into a graph and did not run, as a share of these and of "
     "the kernels that ran; over the whole profile, absent if no graph was captured.",
     "launches within a capture / (these + kernels)", kOurs},
    {metric::kSyncTimeShare, "Synchronization", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfAllWork | kOfGpuUnits, 3,
     "Share of iteration time in which the host is blocked in a synchronizing call or a copy that "
     "is not asynchronous; the profiler's own waits are left out.",
     "|U(synchronizing calls) ∩ iterations| / iterations", kNsys},

    {metric::kMemcpyH2dBytesPerIteration, "Host to device, bytes per iteration", kBytes, kFromZero,
     kLowerIsBetter, kRatio, kOfTimes, 3,
     "Bytes that the selected iterations copied from host to device, per iteration; mean over "
     "ranks.",
     "Σ bytes / iterations", kOurs},
    {metric::kMemcpyD2hBytesPerIteration, "Device to host, bytes per iteration", kBytes, kFromZero,
     kLowerIsBetter, kRatio, kOfTimes, 3,
     "Bytes that the selected iterations copied from device to host, per iteration; mean over "
     "ranks.",
     "Σ bytes / iterations", kOurs},
    {metric::kMemcpyD2dBytesPerIteration, "Device to device, bytes per iteration", kBytes,
     kFromZero, kLowerIsBetter, kRatio, kOfTimes, 3,
     "Bytes that the selected iterations copied within and between devices, per iteration; mean "
     "over ranks.",
     "Σ bytes / iterations", kOurs},
    {metric::kMemcpyPageableShare, "Pageable copies", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfGpuUnits, 3,
     "Share of the bytes copied between host and device that the host kept in pageable memory, of "
     "those copies whose host memory is known.",
     "Σ bytes of pageable copies / Σ bytes", kNsys},
    {metric::kDataloaderExposedShare, "DataLoader wait", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfTimes | kOfAllWork, 3,
     "Share of iteration time waiting for input data while the {{ device.device }} is idle, with "
     "pauses between queued kernels (in no gpu.idle_cause.dataloader) and waiting between "
     "iterations.",
     "exposed_time / (Σ length + waiting between)", kBoth},
    {metric::kDataloaderExposedTime, "DataLoader wait, time", kTime, kFromZero, kLowerIsBetter,
     kSum, kOfTimes | kOfAllWork, 2,
     "Waiting for input data while the {{ device.device }} is idle, over all ranks.", "", kOurs},
    {metric::kDataloaderExposedOnce, "DataLoader wait, one-off", kTime, kFromZero, kLowerIsBetter,
     kOther, kOfTimes | kOfAllWork, 2,
     "Waiting in a few iterations that exceeds all others, on the rank with the most.", "", kOurs},
    {metric::kDataloaderStalledTime, "DataLoader stall", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfTimes | kOfAllWork, 2,
     "Waiting for input data while no kernel but collectives runs, over all ranks.", "", kOurs},
};
static_assert(AreInOrder(kWorkMetrics, metric::kTensorCoreEfficiency));

constexpr MetricSpec kRunMetrics[] = {
    {metric::kCommunicationTime, "Communication time", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfNames, 3,
     "Time in which at least one collective runs on a {{ device.device }} (on the host if none was "
     "recorded on a {{ device.device }}), summed over {{ device.device }}s. Absent where "
     "the program has several ranks and no kernel is known to communicate.",
     "Σ |U(collectives) ∩ window|", kHta},
    {metric::kCommunicationOverlap, "Overlapped communication", kShare, kUpToOne, kHigherIsBetter,
     kRatio, kOfAllWork | kOfNames, 3,
     "Share of communication time in which the same {{ device.device }} also computes.",
     "Σ |U(collectives) ∩ U(compute)| / Σ |U(collectives)|, in the window", kHta},
    {metric::kCommunicationExposedShare, "Exposed communication", kShare, kUpToOne, kLowerIsBetter,
     kRatio, kOfAllWork | kOfNames, 3,
     "Share of the window in which a {{ device.device }} communicates and does not compute. Absent "
     "where the program has several ranks and no kernel is known to communicate.",
     "Σ |U(collectives) − U(compute)| / Σ window", kTraceLens},
    {metric::kCommunicationWaitingShare, "Waiting for other ranks", kShare, kUpToOne,
     kLowerIsBetter, kRatio, kOfNothing, 4,
     "Share of the ranks' iteration time in which collectives run, nothing computes, and the last "
     "of their ranks has not arrived.",
     "Σ exposed waiting / Σ iteration time", kOurs},
    {metric::kCommunicationMatchedShare, "Collectives matched", kShare, kUpToOne, kHigherIsBetter,
     kRatio, kOfNothing, 3, "Share of the collective calls that were found on all of their ranks.",
     "matched calls / calls, over all ranks", kOurs},
    {metric::kCommunicationMatchedTimeShare, "Collective time matched", kShare, kUpToOne,
     kHigherIsBetter, kRatio, kOfNothing, 3,
     "Share of the time in collectives that matched calls take.",
     "Σ duration of matched calls / Σ duration", kOurs},
    {metric::kRankImbalance, "Imbalance between ranks", kShare, kFromZero, kLowerIsBetter, kOther,
     kOfNothing, 1,
     "Difference between the most and the least computing rank as a share of the mean.",
     "(max − min) / mean of the ranks' compute time", kOurs},
    {metric::kRankStraggler, "Straggler", kNumber, kFromZero, kNeutral, kOther, kOfNothing, 1,
     "The rank that the others wait for, if one steadily causes most of the waiting. Its note "
     "states how often it is last and which work takes longer there.",
     "largest Σ over the collectives it makes late of (second shortest − shortest duration, "
     "nothing "
     "beside)",
     kOurs},
    {metric::kRankStragglerDataloader, "DataLoader wait of the straggling rank", kShare, kUpToOne,
     kLowerIsBetter, kOther, kOfNothing, 1,
     "Share of its iteration time in which the straggling rank waits for input data while its "
     "{{ device.device }} is idle: the others wait for it.",
     "dataloader / iteration_time", kOurs},

    {metric::kRankStepSkew, "Skew between ranks", kTime, kFromZero, kLowerIsBetter, kOther,
     kOfNothing, 1,
     "How far apart ranks end an iteration: the median over the iterations, on clocks that are "
     "aligned by the ends of matched collectives.",
     "median over iterations of (latest − earliest end)", kOurs},
    {metric::kPipelineBubbleShare, "Pipeline bubble", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfNothing, 2,
     "Share of the iteration time of a pipeline's ranks in which they only wait for another stage.",
     "Σ bubble / Σ iteration time", kOurs},

    {metric::kMemoryPeakAllocated, "Peak memory allocated", kBytes, kFromZero, kLowerIsBetter, kMax,
     kOfNothing, 1,
     "Maximum bytes allocated on one {{ device.device }} at any time; with several, the largest.",
     "", kPlugin},
    {metric::kMemoryPeakReserved, "Peak memory reserved", kBytes, kFromZero, kLowerIsBetter, kMax,
     kOfNothing, 1,
     "Maximum bytes reserved by the allocator on one {{ device.device }} at any time; with "
     "several, the largest.",
     "", kPlugin},
    {metric::kMemoryPeakShare, "Peak share of device memory", kShare, kFromZero, kNeutral, kMax,
     kOfNothing, 1,
     "Peak memory allocated as a share of the {{ device.device }}'s memory; with several {{ "
     "device.device }}s, the largest.",
     "peak allocated / device memory", kPlugin},
    {metric::kMemoryFragmentation, "Memory fragmentation", kShare, kUpToOne, kLowerIsBetter, kOther,
     kOfNothing, 1,
     "Share of the reserved memory that was not allocated at the peak of reserved memory; with "
     "several {{ device.device }}s, the largest. If there are several such moments, the one with "
     "the most memory in use.",
     "1 − allocated / reserved at the peak of reserved", kOurs},
    {metric::kMemoryGrowth, "Memory growth", kBytes, kFromZero, kLowerIsBetter, kMax, kOfNothing, 2,
     "Increase of allocated bytes from the start of one iteration to the start of the next, at "
     "least 0; with several {{ device.device }}s, the largest.",
     "median over iterations of (allocated at the start − at the start before)", kOurs},

    {metric::kFlopsAchieved, "Achieved FLOP/s", kFlopRate, kFromZero, kHigherIsBetter, kOther,
     kOfNothing, 3,
     "Floating-point operations of the operators whose shapes are known, per second of each {{ "
     "device.device }}. Over the time from the first iteration's begin to the last one's end, the "
     "time between iterations included. A multiplication and an addition count as two. A bias, and "
     "an activation that is part of a matmul, are not counted.",
     "Σ FLOPs / (window · {{ device.device }}s)", "TraceLens"},
    {metric::kFlopsMfu, "Model FLOPs utilization", kShare, kFromZero, kHigherIsBetter, kOther,
     kOfNothing, 3,
     "Share of the window that the model's operations would take at the {{ device.device }}'s "
     "dense peak of their type: forward and backward once, without recomputation. Over the time "
     "from the first iteration's begin to the last one's end, the time between iterations "
     "included. A multiplication and an addition count as two; biases and activations are not "
     "counted. Pairs that a causal mask hides are not counted. MFU after PaLM counts them, and is "
     "higher.",
     "Σ (FLOPs without recomputation / peak) / (window · {{ device.device }}s)", kOurs},
    {metric::kFlopsHfu, "Hardware FLOPs utilization", kShare, kFromZero, kHigherIsBetter, kOther,
     kOfNothing, 3,
     "Share of the window that all operations, recomputation included, would take at the {{ "
     "device.device }}'s dense peak of their type. Over the time from the first iteration's begin "
     "to the last one's end, the time between iterations included. A multiplication and an "
     "addition count as two; biases and activations are not counted. Pairs that a causal mask "
     "hides are not counted.",
     "Σ (FLOPs / peak) / (window · {{ device.device }}s)",
     "Megatron-LM (Korthikanti et al.), TraceLens"},

    {metric::kNpuCubeUtilization, "Cube utilization", kShare, kFromZero, kHigherIsBetter, kRatio,
     kOfEvents, 1,
     "Share of the time of matrix kernels in which the cube units of the NPU compute.",
     "Σ cube utilization · duration / Σ duration", "Ascend", "ascend"},

    {metric::kCoverageLinkedShare, "{{ device.device }} time with a known operator", kShare,
     kUpToOne, kHigherIsBetter, kOther, kOfGpuUnits, 2,
     "Share of {{ device.device }} time (kernels, copies, memsets) in the selected iterations "
     "whose "
     "launching operator is known.",
     "Σ duration with an operator / Σ duration, of work that starts in them", kOurs},
    {metric::kCoverageKernelShare, "Kernel time recorded by kernel", kShare, kUpToOne,
     kHigherIsBetter, kOther, kOfGpuUnits, 1,
     "Share of the kernel time that was recorded kernel by kernel; the rest is in {{ device.graph "
     "}}s that were recorded as a whole.",
     "kernels / (kernels + graphs)", kNsys},
    {metric::kCoverageLaunchedShare, "{{ device.device }} time with a known launch", kShare,
     kUpToOne, kHigherIsBetter, kOther, kOfGpuUnits, 2,
     "Share of {{ device.device }} time in the selected iterations whose launching call was "
     "recorded.",
     "Σ duration with a launch / Σ duration, of work that starts in them", kOurs},
    {metric::kCoverageBacklogTime, "Backlog at the start", kTime, kFromZero, kNeutral, kOther,
     kOfTimes | kOfGpuUnits, 1,
     "Time at the start of the profile in which the {{ device.device }} still runs work launched "
     "before the profile. It counts for no iteration. With several ranks, the longest.",
     "start of the first iteration − start of its marker; without markers, start of the first {{ "
     "device.device }} work − end of the call that launched it",
     kOurs},
    {metric::kCoverageTailTime, "Host time after the last work", kTime, kFromZero, kNeutral, kOther,
     kOfTimes | kOfGpuUnits, 1,
     "Time at the end of a profile without iterations in which the host goes on after the last {{ "
     "device.device }} work. It counts for no iteration. With several ranks, the longest.",
     "end of the host's last operator or launch − end of the last {{ device.device }} work", kOurs},
    {metric::kCoverageStartUpTime, "Start-up of the profiler", kTime, kFromZero, kNeutral, kOther,
     kOfTimes | kOfGpuUnits, 1,
     "Time of the first blocking calls of a profile, while the profiler starts and the {{ "
     "device.device }} does nothing. It counts for no iteration. With several ranks, the longest.",
     "duration of a first blocking call of at least 100 ms that is at least 20 times all others of "
     "its kind",
     kOurs},
    {metric::kCoverageCaptureTime, "Time of graph captures", kTime, kFromZero, kNeutral, kOther,
     kOfTimes | kOfGpuUnits, 1,
     "Time in the selected iterations in which launches are captured into a graph and the {{ "
     "device.device }} does nothing, if that happens once. It is neither busy nor idle. With "
     "several ranks, the longest.",
     "from the start of a capture until its graph is made", kOurs},
    {metric::kCoverageOutsideShare, "{{ device.device }} time launched outside of iterations",
     kShare, kUpToOne, kNeutral, kOther, kOfGpuUnits, 2,
     "Share of the whole profile's {{ device.device }} time that was launched outside all "
     "iterations, selected or not; if launches were not recorded, time that started outside them.",
     "Σ duration launched elsewhere / Σ duration", kOurs},
};
static_assert(AreInOrder(kRunMetrics, metric::kCommunicationTime));

}  // namespace

std::span<const MetricSpec> WorkMetrics() { return kWorkMetrics; }
std::span<const MetricSpec> RunMetrics() { return kRunMetrics; }

// The metrics that load-test tools report: latencies of requests, and rates.

namespace {

using enum Unit;
using enum Direction;
using enum Pooling;
using namespace catalogue;

constexpr std::string_view kLoadTest = "the load test";

// Reported by the tool; not computed from the program's work.
constexpr MetricSpec ServingRow(MetricId id, std::string_view title, Unit unit, ValueRange range,
                                Direction direction, std::string_view definition) {
  return {id,         title, unit,       range, direction, kOther,
          kOfNothing, 1,     definition, "",    kLoadTest, kServingFamily};
}

#define PROFGAUGE_LATENCY(What, title, definition)                                                 \
  ServingRow(metric::kServe##What##Mean, title ", mean", kTime, kFromZero, kLowerIsBetter,         \
             definition " Mean over the requests."),                                               \
      ServingRow(metric::kServe##What##Median, title ", median", kTime, kFromZero, kLowerIsBetter, \
                 definition " Median over the requests."),                                         \
      ServingRow(metric::kServe##What##P90, title ", p90", kTime, kFromZero, kLowerIsBetter,       \
                 definition " 90th percentile of the requests."),                                  \
      ServingRow(metric::kServe##What##P95, title ", p95", kTime, kFromZero, kLowerIsBetter,       \
                 definition " 95th percentile of the requests."),                                  \
      ServingRow(metric::kServe##What##P99, title ", p99", kTime, kFromZero, kLowerIsBetter,       \
                 definition " 99th percentile of the requests.")

constexpr MetricSpec kServingMetrics[] = {
    PROFGAUGE_LATENCY(Ttft, "Time to first token", "From a request to its first token."),
    PROFGAUGE_LATENCY(Tpot, "Time per output token",
                      "Time of a request after its first token, by its other tokens."),
    PROFGAUGE_LATENCY(Itl, "Time between tokens", "From one token of a request to the next."),
    PROFGAUGE_LATENCY(E2e, "Time of a request", "From a request to its last token."),
    ServingRow(metric::kServeRequestRate, "Requests per second", kNumber, kFromZero,
               kHigherIsBetter, "Answered requests per second of the test."),
    ServingRow(metric::kServeOutputRate, "Output tokens per second", kNumber, kFromZero,
               kHigherIsBetter, "Output tokens of answered requests per second of the test."),
    ServingRow(metric::kServeTotalRate, "Tokens per second", kNumber, kFromZero, kHigherIsBetter,
               "Input and output tokens of answered requests per second of the test."),
    ServingRow(metric::kServeGoodput, "Goodput", kNumber, kFromZero, kHigherIsBetter,
               "Requests per second that were answered within the test's own targets."),
    ServingRow(metric::kServeFailedShare, "Failed requests", kShare, kUpToOne, kLowerIsBetter,
               "Share of the requests that failed."),
};
#undef PROFGAUGE_LATENCY
static_assert(AreInOrder(kServingMetrics, metric::kServeTtftMean));

}  // namespace

std::span<const MetricSpec> ServingMetrics() { return kServingMetrics; }

}  // namespace profgauge::analysis::catalog
