// Metrics of iteration time and device utilization: a part of the metric catalog.
#include <fmt/format.h>
#include <deque>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "analysis/catalog/catalogue_parts.h"
#include "knowledge/unrecorded.h"
#include "model/path_kind.h"

namespace profgauge::analysis::catalog {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;
using namespace catalogue;

static_assert(knowledge::kUnrecordedConfidentLeast == 20, "a definition states it");
static_assert(knowledge::kUnrecordedAgreeShare == knowledge::Ratio(2, 100),
              "a definition states it");

constexpr MetricSpec kTimeMetrics[] = {
    {metric::kProfileWallTime, "Wall time", kTime, kFromZero, kLowerIsBetter, kOther, kOfTimes, 2,
     "Length of the window: from the start of the first selected iteration to the end of the last; "
     "of several ranks the longest.",
     "end(last) − start(first)", kBoth},
    {metric::kProfileIterations, "Iterations", kCount, kFromZero, kNeutral, kSum, kOfTimes, 1,
     "Selected iterations of the run; those of several ranks are matched by number.", "", kBoth},
    {metric::kProfileRanksMissing, "Ranks missing", kCount, kFromZero, kLowerIsBetter, kOther,
     kOfNothing, 1, "Ranks of the world that are not in this run of several.", "world size − ranks",
     kOurs},
    {metric::kProfileRanksWithoutWork, "Ranks without {{ device.device }} work", kCount, kFromZero,
     kLowerIsBetter, kOther, kOfNothing, 1,
     "Profiles of this run that list a {{ device.device }} or call its runtime, but have no {{ "
     "device.device }} work, unlike others.",
     "", kOurs},
    {metric::kProfileRanks, "Ranks", kCount, kFromZero, kNeutral, kOther, kOfNothing, 1,
     "Profiles in this run, one per rank.", "", kOurs},
    {metric::kProfileGpus, "{{ device.device }}s", kCount, kFromZero, kNeutral, kOther, kOfNothing,
     1, "{{ device.device }}s with recorded work, over all ranks.", "", kDlprof},
    {metric::kProfileGpusListed, "{{ device.device }}s of the machine", kCount, kFromZero, kNeutral,
     kOther, kOfNothing, 1,
     "{{ device.device }}s that the profiler found on the machine, with work or without; of "
     "several ranks the most that one of them lists.",
     "", kDlprof},
    {metric::kIterationTimeMean, "Mean iteration time", kTime, kFromZero, kLowerIsBetter, kRatio,
     kOfTimes, 3,
     "Arithmetic mean of the selected iterations' lengths. Time that was not recorded (the "
     "profiler's own pause) is excluded. With several ranks an iteration is as long as on its "
     "slowest rank; within 2 % the rank that waits least counts. An iteration begins with its "
     "marker, or where the one before ends if that is later; the first of a profile, when work "
     "from before it has ended.",
     "Σ (length − unobserved) / n", kBoth},
    {metric::kIterationTimeMedian, "Median iteration time", kTime, kFromZero, kLowerIsBetter,
     kQuantile, kOfTimes, 3,
     "Median of the selected iterations' lengths, as observed. With several ranks an iteration is "
     "as long as on its slowest rank; within 2 % the rank that waits least counts.",
     "", kOurs},
    {metric::kIterationTimeMin, "Shortest iteration", kTime, kFromZero, kLowerIsBetter, kQuantile,
     kOfTimes, 3,
     "Length of the shortest selected iteration, as observed. With several ranks an iteration is "
     "as long as on its slowest rank; within 2 % the rank that waits least counts.",
     "", kDlprof},
    {metric::kIterationTimeMax, "Longest iteration", kTime, kFromZero, kLowerIsBetter, kMax,
     kOfTimes, 3,
     "Length of the longest selected iteration, as observed. With several ranks an iteration is as "
     "long as on its slowest rank; within 2 % the rank that waits least counts.",
     "", kDlprof},
    {metric::kIterationTimeP95, "95th percentile of iteration time", kTime, kFromZero,
     kLowerIsBetter, kQuantile, kOfTimes, 3,
     "Length that 95 % of the selected iterations, as observed, do not exceed; interpolated "
     "linearly. With several ranks an iteration is as long as on its slowest rank; within 2 % the "
     "rank that waits least counts.",
     "", kOurs},
    {metric::kIterationTimeStddev, "Standard deviation of iteration time", kTime, kFromZero,
     kLowerIsBetter, kOther, kOfTimes, 3,
     "Sample standard deviation of the selected iterations' lengths, without time that was not "
     "recorded (the profiler's own pause).",
     "√(Σ (x − mean)² / (n − 1))", kOurs},
    {metric::kIterationTimeCv, "Coefficient of variation", kShare, kFromZero, kLowerIsBetter,
     kOther, kOfTimes, 3,
     "Standard deviation of the observed iteration time as a share of its mean.", "stddev / mean",
     kOurs},
    {metric::kIterationTimeRobustCv, "Iteration variation (robust)", kShare, kFromZero,
     kLowerIsBetter, kOther, kOfTimes, 7,
     "Median absolute deviation of the observed iteration time as a share of the median, scaled to "
     "match the coefficient of variation of a normal distribution. Iterations with other numbers "
     "of kernels (at least three of each kind) or other input sizes are compared with iterations "
     "of their kind. Where the input changes, it is of the rest that kernels do not explain (the "
     "note "
     "says so). Fewer than 10 iterations give low confidence.",
     "1.4826 · MAD / median", kOurs},
    {metric::kIterationOutliers, "Outlier iterations", kCount, kFromZero, kLowerIsBetter, kOther,
     kOfTimes, 6,
     "Selected iterations that are longer than the median by more than three "
     "(`iterations.outlier_deviations`) scaled median absolute deviations. Each is compared with "
     "observed iterations that launch as many kernels or have inputs of its sizes. Needs 8 "
     "iterations.",
     "count(x > median + deviations · 1.4826 · MAD)", kOurs},
    {metric::kIterationDrift, "Drift of iteration time", kShare, kOfAnySign, kNeutral, kOther,
     kOfTimes, 3,
     "Theil–Sen slope of the observed iteration time per iteration as a share of the median. "
     "Positive: iterations get slower.",
     "median of pairwise slopes / median", kOurs},
    {metric::kIterationPeriodMedian, "Median time from start to start", kTime, kFromZero,
     kLowerIsBetter, kQuantile, kOfTimes, 1,
     "Median time from the start of a selected iteration to the start of the next, each on the "
     "rank where the iteration takes longest. It equals the length if nothing is between "
     "iterations.",
     "start(next) − start", kOurs},
    {metric::kIterationPeriodMean, "Mean time from start to start", kTime, kFromZero,
     kLowerIsBetter, kRatio, kOfTimes, 1,
     "Arithmetic mean of the time from the start of a selected iteration to the start of the next, "
     "each on the rank where the iteration takes longest. It includes validation, checkpoints and "
     "other work between iterations.",
     "Σ (start(next) − start) / n", kOurs},
    {metric::kIterationBetweenShare, "Time between iterations", kShare, kUpToOne, kLowerIsBetter,
     kRatio, kOfTimes, 1,
     "Share of the time from start to start that is between two selected iterations. Work there "
     "belongs to no iteration.",
     "Σ max(0, period − length) / Σ period", kOurs},
    {metric::kStepCount, "Unrecorded iterations", kCount, kFromZero, kNeutral, kOther, kOfNothing,
     1,
     "Iterations that no profiler recorded and by which the run is judged: where at least 20 come "
     "before the first recorded one, those after it count only if they are as fast within 2 %; "
     "without unusual ones and warm-up.",
     "", kOurs, kUnrecordedFamily},
    {metric::kStepTimeMean, "Mean unrecorded iteration", kTime, kFromZero, kLowerIsBetter, kOther,
     kOfNothing, 1, "Arithmetic mean of the unrecorded iterations' lengths, without unusual ones.",
     "Σ length / n", kOurs, kUnrecordedFamily},
    {metric::kStepTimeMedian, "Median unrecorded iteration", kTime, kFromZero, kLowerIsBetter,
     kQuantile, kOfNothing, 1,
     "Median length of the unrecorded iterations, without unusual ones; of several ranks the "
     "largest. Its 95 % interval comes from order statistics, widened by the long-run variance of "
     "the "
     "signs in batches of √n.",
     "", kOurs, kUnrecordedFamily},
    {metric::kStepTimeMin, "Shortest unrecorded iteration", kTime, kFromZero, kLowerIsBetter,
     kOther, kOfNothing, 1, "Length of the shortest unrecorded iteration.", "", kOurs,
     kUnrecordedFamily},
    {metric::kStepTimeMax, "Longest unrecorded iteration", kTime, kFromZero, kLowerIsBetter, kOther,
     kOfNothing, 1, "Length of the longest unrecorded iteration, without unusual ones.", "", kOurs,
     kUnrecordedFamily},
    {metric::kStepTimeP95, "95th percentile of unrecorded iterations", kTime, kFromZero,
     kLowerIsBetter, kOther, kOfNothing, 1,
     "Length that 95 % of the unrecorded iterations do not exceed; interpolated linearly.", "",
     kOurs, kUnrecordedFamily},
    {metric::kStepTimeRobustCv, "Variation of unrecorded iterations (robust)", kShare, kFromZero,
     kLowerIsBetter, kOther, kOfNothing, 1,
     "Median absolute deviation of the unrecorded iterations' lengths as a share of their median, "
     "scaled to match the coefficient of variation of a normal distribution.",
     "1.4826 · MAD / median", kOurs, kUnrecordedFamily},
    {metric::kStepOutliers, "Outliers of unrecorded iterations", kCount, kFromZero, kLowerIsBetter,
     kOther, kOfNothing, 1,
     "Unrecorded iterations that are longer than the median by more than three "
     "(`iterations.outlier_deviations`) scaled median absolute deviations.",
     "count(x > median + deviations · 1.4826 · MAD)", kOurs, kUnrecordedFamily},
    {metric::kStepDrift, "Drift of unrecorded iterations", kShare, kOfAnySign, kNeutral, kOther,
     kOfNothing, 1,
     "Theil–Sen slope of the unrecorded iterations' lengths per iteration as a share of their "
     "median: positive is getting slower.",
     "median of pairwise slopes / median", kOurs, kUnrecordedFamily},
    {metric::kStepThroughput, "Throughput (samples or tokens per second)", kNumber, kFromZero,
     kHigherIsBetter, kOther, kOfNothing, 1,
     "Work of one iteration (samples, else tokens, as the run states it) by the median unrecorded "
     "iteration, per second; without the profiler.",
     "work / median", kOurs, kUnrecordedFamily},
    {metric::kStepPerturbation, "Slowdown by the profiler", kNumber, kFromZero, kLowerIsBetter,
     kOther, kOfTimes, 1,
     "Median recorded iteration as a multiple of the median unrecorded one: 1 means that the "
     "profiler costs nothing.",
     "iteration.time.median / step.time.median", kOurs, kUnrecordedFamily},
    {metric::kProfilerDelayTime, "Delay by the profiler, at most", kTime, kFromZero, kNeutral,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 1,
     "The most by which the profiler delays a {{ device.device }} per iteration: 4 µs for each "
     "event "
     "that it recorded of the launching thread in a gap, and half of the gap at most.",
     "Σ min(gap / 2, events × 4 µs) / n, mean over {{ device.device }}s", kOurs},
    {metric::kRunTimeMean, "Mean iteration of the run", kTime, kFromZero, kLowerIsBetter, kOther,
     kOfNothing, 1,
     "Arithmetic mean of all unrecorded iterations, unusual ones such as checkpoints included.",
     "Σ length / n", kOurs, kUnrecordedFamily},
    {metric::kRunUnusualShare, "Time of unusual iterations", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfNothing, 1,
     "Share of the unrecorded time that iterations took which the run marks as unusual "
     "(checkpoints, evaluation).",
     "Σ length(unusual) / Σ length", kOurs, kUnrecordedFamily},
    {metric::kGpuIdleUnrecorded, "{{ device.device }} idle time without the profiler", kShare,
     kUpToOne, kLowerIsBetter, kOther, kOfTimes | kOfAllWork, 1,
     "Share of a typical unrecorded iteration in which nothing runs on a {{ device.device }}, mean "
     "over the {{ device.device }}s: work per iteration is the profile's, the length is the "
     "unrecorded one.",
     "1 − busy time per iteration / step.time.median", kOurs, kUnrecordedFamily},
    {metric::kGpuUtilizationUnrecorded, "{{ device.device }} utilization without the profiler",
     kShare, kUpToOne, kHigherIsBetter, kOther, kOfTimes | kOfAllWork, 1,
     "Share of a typical unrecorded iteration in which at least one kernel runs on a {{ "
     "device.device }}, mean over the {{ device.device }}s.",
     "kernel time per iteration / step.time.median", kOurs, kUnrecordedFamily},
    {metric::kFlopsMfuUnrecorded, "MFU without the profiler", kShare, kFromZero, kHigherIsBetter,
     kOther, kOfTimes, 1,
     "Model FLOPs utilization with the length of the median unrecorded iteration.",
     "flops.mfu · iteration.time.mean / step.time.median", kOurs, kUnrecordedFamily},
    {metric::kConditionsClock, "{{ device.core }} clock (MHz)", kNumber, kFromZero, kHigherIsBetter,
     kOther, kOfNothing, 1,
     "Median clock of the {{ device.core }}s in MHz while the {{ device.device }} works; of "
     "several "
     "{{ device.device }}s the slowest.",
     "", kOurs, kConditionsFamily},
    {metric::kConditionsClockLimit, "Highest {{ device.core }} clock (MHz)", kNumber, kFromZero,
     kHigherIsBetter, kOther, kOfNothing, 1,
     "Highest clock in MHz that the same {{ device.device }} allows.", "", kOurs,
     kConditionsFamily},
    {metric::kConditionsMemoryClock, "Memory clock (MHz)", kNumber, kFromZero, kHigherIsBetter,
     kOther, kOfNothing, 1,
     "Median clock of the memory in MHz; of several {{ device.device }}s the slowest.", "", kOurs,
     kConditionsFamily},
    {metric::kConditionsPower, "Power (W)", kNumber, kFromZero, kNeutral, kOther, kOfNothing, 1,
     "Median power in watts; of several {{ device.device }}s the highest.", "", kOurs,
     kConditionsFamily},
    {metric::kConditionsPowerLimit, "Power limit (W)", kNumber, kFromZero, kNeutral, kOther,
     kOfNothing, 1, "Power limit in watts of the same {{ device.device }}.", "", kOurs,
     kConditionsFamily},
    {metric::kConditionsTemperature, "Highest temperature (°C)", kNumber, kFromZero, kLowerIsBetter,
     kOther, kOfNothing, 1, "Highest temperature of a {{ device.device }} in degrees Celsius.", "",
     kOurs, kConditionsFamily},
    {metric::kConditionsPowerCapped, "Time at the power limit", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfNothing, 1,
     "Share of the time in which the power limit lowers the clocks; of several {{ device.device "
     "}}s "
     "the largest.",
     "", kOurs, kConditionsFamily},
    {metric::kConditionsThrottled, "Throttled time", kShare, kUpToOne, kLowerIsBetter, kOther,
     kOfNothing, 1,
     "Share of the time in which heat or a hardware fault lowers the clocks; of several reasons "
     "and "
     "{{ device.device }}s the largest.",
     "", kOurs, kConditionsFamily},
    {metric::kConditionsEccUncorrected, "Uncorrected memory errors (ECC)", kNumber, kFromZero,
     kLowerIsBetter, kOther, kOfNothing, 1,
     "Uncorrected memory errors of a {{ device.device }} since its driver was loaded; of several "
     "{{ device.device }}s the most.",
     "", kOurs, kConditionsFamily},
    {metric::kConditionsOtherProcesses, "Processes of others", kNumber, kFromZero, kLowerIsBetter,
     kOther, kOfNothing, 1,
     "Processes on a {{ device.device }} beside the one that trains, the most at one time; of "
     "several {{ device.device }}s the most.",
     "", kOurs, kConditionsFamily},
    {metric::kConditionsComputeBound, "Compute-bound kernel time", kShare, kUpToOne, kNeutral,
     kOther, kOfNothing, 1,
     "Share of kernel time of operators that arithmetic limits: this time follows the clock of the "
     "{{ device.core }}s.",
     "Σ time(bound = compute) / profile.kernel_time", kOurs, kConditionsFamily},
    {metric::kConditionsMemoryBound, "Memory-bound kernel time", kShare, kUpToOne, kNeutral, kOther,
     kOfNothing, 1,
     "Share of kernel time of operators that memory bandwidth limits: this time follows the clock "
     "of the memory.",
     "Σ time(bound = memory) / profile.kernel_time", kOurs, kConditionsFamily},
    {metric::kProfileKernelTime, "Kernel time", kTime, kFromZero, kNeutral, kSum, kOfNothing, 3,
     "Sum of the durations of the kernels launched in the selected iterations, collectives "
     "included. Concurrent kernels count each, also on one stream: the breakdown has the time "
     "during "
     "which kernels run. Work whose launch was not recorded belongs to the iteration in which it "
     "begins, unless the work around it on its stream shows another one.",
     "Σ duration", kBoth},

    {metric::kBreakdownTensorCoreKernel, "Kernels on {{ device.matrix_units }}", kShare, kUpToOne,
     kNeutral, kRatio, kOfTimes | kOfNames | kOfGpuUnits, 4,
     "Share of iteration time in which a kernel runs that is confirmed to use {{ "
     "device.matrix_units }}. Gaps that are shorter than the clock's rounding are part of the work "
     "before them.",
     kPartition, kBoth},
    {metric::kBreakdownTensorCoreKernelTime, "Kernels on {{ device.matrix_units }}, time", kTime,
     kFromZero, kNeutral, kSum, kOfTimes | kOfNames | kOfGpuUnits, 4,
     "Iteration time in which a kernel runs that is confirmed to use {{ device.matrix_units }}.",
     kPartitionTime, kBoth},
    {metric::kBreakdownOtherKernel, "Other kernels", kShare, kUpToOne, kNeutral, kRatio,
     kOfTimes | kOfAllWork, 4,
     "Share of iteration time in which other computing kernels run, but none on {{ "
     "device.matrix_units }}. Gaps that are shorter than the clock's rounding are part of the work "
     "before them.",
     kPartitionShare, kBoth},
    {metric::kBreakdownOtherKernelTime, "Other kernels, time", kTime, kFromZero, kNeutral, kSum,
     kOfTimes | kOfAllWork, 4,
     "Iteration time in which other computing kernels run, but none on {{ device.matrix_units }}.",
     kPartitionTime, kBoth},
    {metric::kBreakdownMemcpy, "Copies", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfTimes | kOfAllWork, 5,
     "Share of iteration time in which the {{ device.device }} copies and neither computes nor "
     "communicates. Gaps that are shorter than the clock's rounding are part of the work before "
     "them.",
     kPartitionShare, kBoth},
    {metric::kBreakdownMemcpyTime, "Copies, time", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfTimes | kOfAllWork, 5,
     "Iteration time in which the {{ device.device }} copies and neither computes nor "
     "communicates.",
     kPartitionTime, kBoth},
    {metric::kBreakdownMemset, "Sets", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfTimes | kOfAllWork | kOfGpuUnits, 5,
     "Share of iteration time in which the {{ device.device }} runs only memsets. Gaps that are "
     "shorter than the clock's rounding are part of the work before them.",
     kPartitionShare, kBoth},
    {metric::kBreakdownMemsetTime, "Sets, time", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfTimes | kOfAllWork | kOfGpuUnits, 5,
     "Iteration time in which the {{ device.device }} runs only memsets.", kPartitionTime, kBoth},
    {metric::kBreakdownCommunication, "Communication", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfTimes | kOfAllWork | kOfNames, 6,
     "Share of iteration time in collectives while no kernel computes: exposed communication. Gaps "
     "that are shorter than the clock's rounding are part of the work before them.",
     kPartitionShare, kPlugin},
    {metric::kBreakdownCommunicationTime, "Communication, time", kTime, kFromZero, kLowerIsBetter,
     kSum, kOfTimes | kOfAllWork | kOfNames, 6,
     "Iteration time in collectives while no kernel computes: exposed communication.",
     kPartitionTime, kPlugin},
    {metric::kBreakdownRuntime, "Runtime calls", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfTimes | kOfAllWork, 4,
     "Share of iteration time in calls of the {{ device.device }} runtime or driver while the {{ "
     "device.device }} is idle.",
     kPartitionShare, kPlugin},
    {metric::kBreakdownRuntimeTime, "Runtime calls, time", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfTimes | kOfAllWork, 4,
     "Iteration time in calls of the {{ device.device }} runtime or driver while the {{ "
     "device.device }} is idle.",
     kPartitionTime, kPlugin},
    {metric::kBreakdownDataloader, "Data loader", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfTimes | kOfAllWork, 4,
     "Share of iteration time spent waiting for input data while the {{ device.device }} is idle.",
     kPartitionShare, kBoth},
    {metric::kBreakdownDataloaderTime, "Data loader, time", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfTimes | kOfAllWork, 4,
     "Iteration time spent waiting for input data while the {{ device.device }} is idle.",
     kPartitionTime, kBoth},
    {metric::kBreakdownCpu, "Host", kShare, kUpToOne, kLowerIsBetter, kRatio, kOfTimes | kOfAllWork,
     5,
     "Share of iteration time in framework operators on the host while the {{ device.device }} is "
     "idle.",
     kPartitionShare, kBoth},
    {metric::kBreakdownCpuTime, "Host, time", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfTimes | kOfAllWork, 5,
     "Iteration time in framework operators on the host while the {{ device.device }} is idle.",
     kPartitionTime, kBoth},
    {metric::kBreakdownIo, "I/O", kShare, kUpToOne, kLowerIsBetter, kRatio, kOfTimes, 3,
     "Share of iteration time in reading and writing files, if the profile states it (DLProf).", "",
     kDlprof},
    {metric::kBreakdownOther, "Unattributed", kShare, kUpToOne, kLowerIsBetter, kRatio,
     kOfTimes | kOfAllWork, 4,
     "Share of iteration time without any recorded activity of the above.", kPartitionShare, kBoth},
    {metric::kBreakdownOtherTime, "Unattributed, time", kTime, kFromZero, kLowerIsBetter, kSum,
     kOfTimes | kOfAllWork, 4, "Iteration time without any recorded activity of the above.",
     kPartitionTime, kBoth},

    {metric::kGpuUtilizationMean, "{{ device.device }} utilization", kShare, kUpToOne,
     kHigherIsBetter, kOther, kOfTimes | kOfExecution | kOfAllWork, 4,
     "Share of the window in which at least one kernel runs, mean over the {{ device.device }}s "
     "with work; copies do not count. Over the time from the first iteration's begin to the last "
     "one's end, the time between iterations included. Gaps that are shorter than the clock's "
     "rounding are part of the work before them.",
     "|U(kernels) ∩ window| / window", kBoth},
    {metric::kGpuUtilizationMin, "Lowest {{ device.device }} utilization", kShare, kUpToOne,
     kHigherIsBetter, kOther, kOfTimes | kOfExecution | kOfAllWork, 4,
     "{{ device.device }} utilization of the least used {{ device.device }} with work. Over the "
     "time from the first iteration's begin to the last one's end, the time between iterations "
     "included. Gaps that are shorter than the clock's rounding are part of the work before them.",
     "|U(kernels) ∩ window| / window", kBoth},
    {metric::kGpuIdleMean, "{{ device.device }} idle time", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 3,
     "Share of the observed window in which nothing runs on a {{ device.device }}, mean over the "
     "{{ "
     "device.device }}s with work. Over the time from the first iteration's begin to the last "
     "one's end, the time between iterations included. Gaps that are shorter than the clock's "
     "rounding are part of the work before them.",
     "1 − |U(kernels, copies, memsets) ∩ window| / window", kHta},
    {metric::kGpuIdleMax, "Highest {{ device.device }} idle time", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 3,
     "For the {{ device.device }} that idles most. Over the time from the first iteration's begin "
     "to the last one's end, the time between iterations included. Gaps that are shorter than the "
     "clock's rounding are part of the work before them.",
     "1 − |U(kernels, copies, memsets) ∩ window| / window", kHta},
    {metric::kGpuIdleTimeMean, "{{ device.device }} idle time per iteration", kTime, kFromZero,
     kLowerIsBetter, kOther, kOfTimes | kOfExecution | kOfAllWork, 1,
     "Idle time in and between the selected iterations, by their number; mean.", "", kOurs},
    {metric::kGpuIdleTimeMax, "Highest {{ device.device }} idle time per iteration", kTime,
     kFromZero, kLowerIsBetter, kOther, kOfTimes | kOfExecution | kOfAllWork, 1,
     "For the {{ device.device }} that idles longest per iteration.", "", kOurs},
    {metric::kGpuIdleCauseHostWait, "Idle: host not ready", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 3,
     "Share of the window in which a {{ device.device }} idles because the host had not yet "
     "launched the next work, without one of the other causes. The window lasts from the first "
     "iteration's begin to the last one's end, the time between iterations included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kHta},
    {metric::kGpuIdleCauseDataloader, "Idle: waiting for data", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 3,
     "Share of the window in which a {{ device.device }} idles while the host waits for input "
     "data. The window lasts from the first iteration's begin to the last one's end, the time "
     "between iterations included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {metric::kGpuIdleCauseSync, "Idle: synchronization", kShare, kUpToOne, kLowerIsBetter, kOther,
     kOfTimes | kOfExecution | kOfAllWork, 3,
     "Share of the window in which a {{ device.device }} idles because the launching thread is in "
     "a synchronizing call. After a call that drained the {{ device.device }}'s queue, idle time "
     "counts for as long as that call waited. A copy that waits for earlier work or for its own "
     "end is such a call. The window lasts from the first iteration's begin to the last one's end, "
     "the time between iterations included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {metric::kGpuIdleCauseModuleLoading, "Idle: loading code", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 4,
     "Share of the window in which a {{ device.device }} idles while the launching thread sets it "
     "up or loads code for it. These calls count: set-up calls; calls of at least 50 ms before the "
     "first recorded device work; a cudaFree of at least 100 ms (libraries create their contexts "
     "with one that frees nothing); waits for events inside a convolution of cuDNN or MIOpen (the "
     "search for its fastest algorithm); a kernel's first launch if it takes more than 200 µs. The "
     "window lasts from the first iteration's begin to the last one's end, the time between "
     "iterations included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {metric::kGpuIdleCauseCapture, "Idle: graph capture", kShare, kUpToOne, kLowerIsBetter, kOther,
     kOfTimes | kOfExecution | kOfAllWork, 1,
     "Share of the window in which a {{ device.device }} idles while the launching thread captures "
     "launches into a graph, or makes that graph. The window lasts from the first iteration's "
     "begin to the last one's end, the time between iterations included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {metric::kGpuIdleCauseMemoryManagement, "Idle: memory management", kShare, kUpToOne,
     kLowerIsBetter, kOther, kOfTimes | kOfExecution | kOfAllWork, 4,
     "Share of the window in which a {{ device.device }} idles while the launching thread "
     "allocates or frees device memory. The window lasts from the first iteration's begin to the "
     "last one's end, the time between iterations included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {metric::kGpuIdleCauseLaunchLatency, "Idle: launch latency", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 3,
     "Share of the window in which a {{ device.device }} idles during the launching call of the "
     "next work or for less than 30 µs after it. Pauses between queued work count, too. The window "
     "lasts from the first iteration's begin to the last one's end, the time between iterations "
     "included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kHta},
    {metric::kGpuIdleCauseQueued, "Idle: queued, not started", kShare, kUpToOne, kLowerIsBetter,
     kOther, kOfTimes | kOfExecution | kOfAllWork, 1,
     "Share of the window in which a {{ device.device }} idles although the next work was launched "
     "at least 30 µs before. It waits for an event, another stream or another process. The window "
     "lasts from the first iteration's begin to the last one's end, the time between iterations "
     "included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kOurs},
    {metric::kGpuIdleCauseOther, "Idle: not recorded", kShare, kUpToOne, kLowerIsBetter, kOther,
     kOfTimes | kOfExecution | kOfAllWork, 4,
     "Share of the window in which a {{ device.device }} idles before work whose launch was not "
     "recorded. The window lasts from the first iteration's begin to the last one's end, the time "
     "between iterations included.",
     "Σ idle by cause / window, mean over {{ device.device }}s; the causes add up to gpu.idle.mean",
     kHta},
    {metric::kGpuSmEfficiency, "Estimated {{ device.core }} efficiency", kShare, kUpToOne,
     kHigherIsBetter, kOther, kOfTimes | kOfAllWork | kOfGpuUnits, 2,
     "Blocks per {{ device.multiprocessor }} of the running kernels, at most 1, averaged over the "
     "window; mean over the {{ device.device }}s with work. Over the time from the first "
     "iteration's begin to the last one's end, the time between iterations included.",
     "∫ min(1, Σ blocks per {{ device.core }}) dt / window", kPlugin},
    {metric::kGpuOccupancy, "Estimated achieved occupancy", kShare, kUpToOne, kHigherIsBetter,
     kRatio, kOfTimes | kOfGpuUnits, 2,
     "Occupancy estimated from the launch properties, weighted by kernel time in the window.",
     "Σ occupancy · duration / Σ duration", kPlugin},

    {metric::kGpuMeasuredTensorActive, "{{ device.matrix_pipe }}s active (measured)", kShare,
     kFromZero, kHigherIsBetter, kOther, kOfTimes | kOfEvents, 2,
     "Share of cycles in which the {{ device.matrix_pipe }}s were active, as the {{ device.device "
     "}}'s counters sampled it; mean over the whole capture.",
     "", kNsys},
    {metric::kGpuMeasuredSmActive, "{{ device.core }}s active (measured)", kShare, kFromZero,
     kHigherIsBetter, kOther, kOfTimes | kOfEvents, 2,
     "Share of cycles in which a {{ device.multiprocessor }} had work, as the {{ device.device "
     "}}'s counters sampled it; mean over the whole capture.",
     "", kNsys},
    {metric::kGpuMeasuredDramRead, "DRAM read bandwidth (measured)", kShare, kFromZero, kNeutral,
     kOther, kOfTimes | kOfEvents, 2,
     "Share of the peak bandwidth of device memory used for reading, as the {{ device.device }}'s "
     "counters sampled it; mean over the whole capture.",
     "", kNsys},
    {metric::kGpuMeasuredDramWrite, "DRAM write bandwidth (measured)", kShare, kFromZero, kNeutral,
     kOther, kOfTimes | kOfEvents, 2,
     "Share of the peak bandwidth of device memory used for writing, as the {{ device.device }}'s "
     "counters sampled it; mean over the whole capture.",
     "", kNsys},
    {metric::kGpuMeasuredDram, "DRAM bandwidth (measured)", kShare, kFromZero, kNeutral, kOther,
     kOfTimes | kOfEvents, 1,
     "Share of the peak bandwidth of device memory in use, as the {{ device.device }}'s counters "
     "sampled it: reading and writing together; mean from the first to the last recorded work.",
     "", kNsys},
};
static_assert(AreInOrder(kTimeMetrics, metric::kProfileWallTime));

}  // namespace

std::span<const MetricSpec> TimeMetrics() { return kTimeMetrics; }

// The metrics of the critical path, two for each kind of wait.

namespace {

/// Keeps a text for entries of the catalog at a fixed address.
std::string_view KeptText(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

// The entry for a kind of wait, as a share or as a time.
MetricSpec PathMetric(const PathKindInfo& kind, Unit unit) {
  const bool is_share = unit == Unit::kShare;
  std::string title(kind.title);
  title.front() = static_cast<char>(title.front() - 'A' + 'a');
  return {is_share ? kind.metrics.share : kind.metrics.time,
          KeptText(fmt::format("Critical path: {}{}", title, is_share ? "" : ", time")),
          unit,
          is_share ? catalogue::kUpToOne : catalogue::kFromZero,
          Direction::kLowerIsBetter,
          Pooling::kOther,
          catalogue::kOfAllWork,
          1,
          KeptText(fmt::format("{} of the critical path in {}.", is_share ? "Share" : "Time",
                               kind.part)),
          catalogue::kPathParts,
          catalogue::kOurs};
}

// Metrics of the plan (rules/plan.h), computed from findings.
constexpr std::string_view kReplayed =
    "each step is the finding whose change saves most in a simulation with the changes before it";
constexpr std::string_view kFloor =
    "one simulation with the changes of the plan, without host time and without waiting, every "
    "kernel at the roof of its operator, collectives at the best bandwidth of their kind; kernels "
    "of "
    "unknown work as recorded";
constexpr MetricSpec kPlan[] = {
    {metric::kPlanEndTime, "Iteration time after the plan", Unit::kTime, catalogue::kFromZero,
     Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Mean iteration time after all steps of the plan; with the pauses between, if they are long.",
     kReplayed, catalogue::kOurs},
    {metric::kPlanGainShare, "Savings of the plan", Unit::kShare, catalogue::kUpToOne,
     Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Savings of all steps of the plan together, divided by the mean iteration time.", kReplayed,
     catalogue::kOurs},
    {metric::kPlanFirstGainShare, "Savings of the plan's first step", Unit::kShare,
     catalogue::kUpToOne, Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Savings of the first step of the plan, divided by the mean iteration time.", kReplayed,
     catalogue::kOurs},
    {metric::kPlanSteps, "Steps of the plan", Unit::kCount, catalogue::kFromZero,
     Direction::kNeutral, Pooling::kOther, catalogue::kOfAllWork, 1,
     "How many findings save time, one after another.", kReplayed, catalogue::kOurs},
    {metric::kFloorTime, "Floor of the iteration time", Unit::kTime, catalogue::kFromZero,
     Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Mean iteration time if the device never waited for the host, kernels ran at their roofs, and "
     "ranks did not wait for each other.",
     kFloor, catalogue::kOurs},
    {metric::kFloorShare, "Floor, share of the iteration time", Unit::kShare, catalogue::kUpToOne,
     Direction::kHigherIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Floor of the iteration time, divided by the mean iteration time.", kFloor, catalogue::kOurs},
};

}  // namespace

std::span<const MetricSpec> PathMetrics() {
  static const std::vector<MetricSpec> kAll = [] {
    std::vector<MetricSpec> all;
    for (const PathKindInfo& kind : kPathKindInfo) {
      all.push_back(PathMetric(kind, Unit::kShare));
      all.push_back(PathMetric(kind, Unit::kTime));
    }
    all.insert(all.end(), std::begin(kPlan), std::end(kPlan));
    return all;
  }();
  return kAll;
}

}  // namespace profgauge::analysis::catalog
