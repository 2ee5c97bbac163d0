// What is computed, launched, copied, communicated and kept in memory: a part of the metric
// catalogue.
#include "analysis/tables/catalogue_parts.h"

namespace profgauge {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;
using namespace catalogue;

constexpr MetricSpec kWorkMetrics[] = {
    {"tensor_core.efficiency", "{{ device.matrix_unit }} efficiency", kShare, kHigherIsBetter,
     kRatio,
     "Of the kernel time in operators that could use {{ device.matrix_units }}, the share in "
     "kernels that surely do. Elsewhere kernels of matrix products count. A matrix by a vector and "
     "a "
     "depthwise convolution could not.",
     "Σ time of {{ device.matrix_unit }} kernels in eligible ops / Σ kernel time of eligible ops",
     kDlprof},
    {"tensor_core.share", "{{ device.matrix_unit }} share", kShare, kHigherIsBetter, kRatio,
     "Share of kernel time in kernels that surely use {{ device.matrix_units }}.",
     "Σ time of {{ device.matrix_unit }} kernels / Σ kernel time", kPlugin},
    {"tensor_core.unknown_share", "Undecided kernel time", kShare, kNeutral, kRatio,
     "Share of kernel time in kernels whose name does not tell whether they use {{ "
     "device.matrix_units }}, and in graphs recorded whole; they count as not using them.",
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
     "Share of iteration time in which the host is blocked in a synchronizing call or a copy that "
     "is not asynchronous.",
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
     "Share of iteration time waiting for input data while the {{ device.device }} is idle, with "
     "pauses between queued kernels (in no gpu.idle_cause.dataloader) and waiting between "
     "iterations.",
     "exposed_time / (Σ length + waiting between)", kBoth},
    {"dataloader.exposed_time", "DataLoader wait, time", kTime, kLowerIsBetter, kSum,
     "Waiting for input data while the {{ device.device }} is idle, over all ranks.", "", kOurs},
    {"dataloader.exposed_once", "DataLoader wait, once", kTime, kLowerIsBetter, kOther,
     "What single iterations wait above all others, of the rank with the most.", "", kOurs},
    {"dataloader.stalled_time", "DataLoader stall", kTime, kLowerIsBetter, kSum,
     "Waiting for input data while no kernel but collectives runs, over all ranks.", "", kOurs},
};

constexpr MetricSpec kRunMetrics[] = {
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
    {"rank.straggler", "Straggling rank", kNumber, kNeutral, kOther,
     "The rank that the others wait for, if one causes most of the waiting and does so steadily; "
     "its note says how often it is last and what takes longer there.",
     "largest Σ over the collectives it makes late of (second shortest − shortest duration, "
     "nothing "
     "beside)",
     kOurs},
    {"rank.straggler.dataloader", "DataLoader wait of the straggling rank", kShare, kLowerIsBetter,
     kOther,
     "Share of its iteration time in which the straggling rank waits for input data while its "
     "{{ device.device }} is idle: the others wait for it.",
     "dataloader / iteration_time", kOurs},

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
    {"memory.growth", "Memory growth", kBytes, kLowerIsBetter, kMax,
     "How many bytes more the allocator has given out when an iteration starts than when the one "
     "before did, 0 where it has not; of several {{ device.device }}s the largest.",
     "median over iterations of (allocated at the start − at the start before)", kOurs},

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
     "Share of the whole recording's {{ device.device }} time that was launched in no iteration, "
     "selected or not; where launches are not recorded, that started in none.",
     "Σ duration launched elsewhere / Σ duration", kOurs},
};

}  // namespace

std::span<const MetricSpec> WorkMetrics() { return kWorkMetrics; }
std::span<const MetricSpec> RunMetrics() { return kRunMetrics; }

}  // namespace profgauge
