// Columns of the tables of ranks, their groups and their collectives. Filled by
// analysis/communication/, which matches the calls of several ranks. Times are on each rank's own
// clock, except in `rank_calls`, whose clocks are aligned.
#pragma once

#include "analysis/catalog/shared_columns.h"
#include "base/metric_id.h"

namespace profgauge::analysis::catalog::columns {

// With the time in which only kernels run, these parts add up to the time of iterations.
inline constexpr ColumnSpec kStepParts[] = {
    {"overlapped", "Computing and communicating", kTime, "Both at the same time."},
    {"transfer_exposed", "Transfer only", kTime,
     "Collectives run and nothing computes, from when the last rank came; all exposed "
     "communication "
     "where ranks could not be matched."},
    {"waiting_exposed", "Waiting only", kTime,
     "Collectives run and nothing computes, and the last of their ranks has not arrived."},
    {"copy", "Copying", kTime, "Copies and memsets, and nothing of the above."},
    {"dataloader", "Data loader", kTime,
     "Waiting for input data while the {{ device.device }}s idle."},
    {"host_time", "Host", kTime,
     "Runtime calls and operators on the host while the {{ device.device }}s idle."},
    {"unattributed", "Unattributed", kTime, "Nothing that was recorded explains the time."},
};

inline constexpr auto kRanks = Join(
    {
        {"id", "Rank", kCount, "Rank as recorded, else position in the run."},
        {"host", "Host", kText, "Name of the machine, where recorded."},
        {"iterations", "Iterations", kCount, "Selected iterations."},
        {"per_iteration", "Per iteration", kTime, "Mean length of its iterations."},
        {"iteration_time", "Time of its iterations", kTime, "Sum of their lengths."},
        {"compute_time", "Compute time", kTime,
         "Time in which a computing kernel runs, over its {{ device.device }}s.",
         metric::kGpuUtilizationMean},
        {"compute_once", "One-off compute", kTime,
         "Time in a few iterations that exceeds all others, like `exposed_once`."},
        {"communication_time", "Communication time", kTime,
         "Time in which a collective runs, over its {{ device.device }}s."},
        {"exposed_communication", "Exposed communication", kTime,
         "Part in which the {{ device.device }} computes nothing.",
         metric::kBreakdownCommunication},
        {"exposed_once", "Exposed, one-off", kTime,
         "Time in a few iterations that exceeds all others: at most one in ten, with more than "
         "three times as much as the next."},
        {"stage_waiting", "Waiting for stages", kTime,
         "Exposed communication that waits for other stages of a pipeline."},
        {"untold_transfers", "Unmatched", kTime, "Transfers that were not matched."},
        {"waiting_time", "Waiting", kTime,
         "Time in matched collectives before the last rank joined: the least waits are a "
         "straggler's."},
        {"transfer_time", "Transfer", kTime, "The rest of the time in matched collectives."},
        {"late_cost", "Cost of lateness", kTime,
         "Time that the others would save if it reached each collective with the next to last "
         "rank: sum over the collectives that it made late, in each iteration for the group that "
         "loses most."},
        {"late_once", "One-off cost", kTime, "Time in a few iterations that exceeds all others."},
        {"last_calls", "Last in", kCount, "Collectives for which it was last, by any time at all."},
        {"straggles", "Straggler", kBool,
         "Whether it causes most of the waiting of the others; known where they could be matched."},
        {"late_cause", "Cause of delay", kText,
         "Work that takes longer on the straggler than on the median rank."},
        {"idle", "Idle", kShare,
         "Share of the window in which its {{ device.device }}s run nothing."},
        {"compute_only", "Computing only", kTime,
         "Iteration time in which kernels compute and nothing communicates. This and the next "
         "seven add up to the iteration time."},
    },
    kStepParts,
    {
        {"kernel_slowdown", "Kernels against median", kNumber,
         "Kernel time relative to the median rank; 1 is equal. It covers kernels that at least "
         "three ranks launch equally often with inputs of equal shapes, without `compute_once`. "
         "Matmuls and other kernels each count if three quarters of their time is slower. On a "
         "rank with three or more {{ device.device }}s, the slowest relative to their median "
         "counts if that is more."},
        {"slow_gpu", "Slow {{ device.device }}", kText,
         "Which of the rank's {{ device.device }}s that is, where it is one of several."},
        {"stream_shared", "On shared streams", kShare,
         "Share of the time of its collectives on streams that also run at least 20 % of the "
         "computing kernel time: nothing overlaps there."},
        {"shared_calls", "Collectives on shared streams", kCount, "Number of these."},
        {"shared_streams", "Shared streams", kText, "Their numbers."},
    });

inline constexpr auto kRankSteps = Join(
    {
        {"rank", "Rank", kCount, "Rank as recorded, else position in the run."},
        {"step", "Iteration", kCount, "Its number as recorded, else its position."},
        {"duration", "Duration", kTime, "Share of the iteration on this rank."},
        {"compute_only", "Computing only", kTime,
         "Kernels compute, nothing communicates. This and the next seven add up to the duration."},
    },
    kStepParts,
    {
        {"waiting_time", "Waiting", kTime,
         "Time in matched collectives before the last rank joined, hidden or not."},
        {"transfer_time", "Transfer", kTime, "The rest of the time in matched collectives."},
        {"tensor_core_kernel", "Kernels on {{ device.matrix_units }}", kTime,
         "Time with a kernel on {{ device.matrix_units }} running; a part of computing."},
        {"memset", "Sets", kTime, "Time with memsets only; a part of copying."},
        {"runtime", "Runtime calls", kTime,
         "Time in runtime and driver calls; a part of the host."},
        {"late_cost", "Cost of lateness", kTime,
         "Time that the others would save in this iteration if it reached each collective with the "
         "next to last rank, for the group that loses most."},
    });

inline constexpr ColumnSpec kRankCalls[] = {
    {"rank", "Rank", kCount, "Rank as recorded, else position in the run."},
    {"role", "Which", kText,
     "`latest` delays the others most. Among the ranks that wait for it in that iteration, "
     "`median` "
     "waits the median time, `earliest` the longest."},
    {"step", "Iteration", kCount, "The one in which the latest rank costs the others most."},
    {"call", "Call", kCount, "The same for calls of several ranks that are one."},
    {"name", "Collective", kText, "Kind of collective; `iteration` for the iteration itself."},
    {"group", "Group", kText, "Process group, where recorded."},
    {"start", "Start", kTime, "From the first start of the iteration, by clocks that are aligned."},
    {"duration", "Duration", kTime, "Waiting and transfer."},
    {"waiting", "Waiting", kTime, "Before the last rank joined, of matched calls."},
    {"transfer", "Transfer", kTime, "The rest, of matched calls."},
};

inline constexpr ColumnSpec kRankSpread[] = {
    {"step", "Iteration", kCount, "Its number as recorded, else its position."},
    {"part", "Of", kText,
     "Quantity of the distribution: `iteration`, `computing`, `transfer` (exposed), `waiting` "
     "(exposed) or `lateness` (time that others lose to a rank)."},
    {"ranks", "Ranks", kCount, "Ranks of which it is known."},
    {"min", "Least", kTime, "The smallest."},
    {"p5", "p5", kTime, "5 % of the ranks have at most this."},
    {"p25", "p25", kTime, "A quarter of the ranks has at most this."},
    {"median", "Median", kTime, "Half of the ranks have at most this."},
    {"p75", "p75", kTime, "Three quarters of the ranks have at most this."},
    {"p95", "p95", kTime, "95 % of the ranks have at most this."},
    {"max", "Most", kTime, "The largest."},
    {"min_rank", "Rank of the least", kCount, "The first of them."},
    {"max_rank", "Rank of the most", kCount, "The first of them."},
};

inline constexpr ColumnSpec kMessageSizes[] = {
    {"group", "Group", kText, "Process group, where recorded."},
    {"name", "Collective", kText, "Kind of collective."},
    {"dtype", "Type", kText, "Data type, where recorded."},
    {"group_size", "Ranks", kCount, "Ranks of the group."},
    {"from", "Size from", kBytes, "Buffers of this size and up to twice as much."},
    kCalls,
    {"bytes", "Bytes", kBytes, "Sum of the buffers of all ranks."},
    {"time", "Time", kTime, "Sum of the durations on all ranks."},
    {"median", "Median", kTime, "Median duration."},
    {"p95", "p95", kTime, "95th percentile of the durations."},
    {"transfer_median", "Median transfer", kTime, "Median without waiting, of matched calls."},
    {"transfer_p95", "p95 transfer", kTime, "95th percentile without waiting, of matched calls."},
    {"bandwidth", "Bandwidth", kBandwidth, "Bytes over transfer, of matched calls."},
    {"bus_bandwidth", "Bus bandwidth", kBandwidth,
     "The same on the bus: times the factor of the kind (nccl-tests)."},
    {"exposed_share", "Exposed", kShare,
     "Share of the time in which the {{ device.device }} computes nothing."},
};

inline constexpr ColumnSpec kPipeline[] = {
    {"id", "Stage", kCount, "Position in the pipeline."},
    {"ranks", "Ranks", kCount, "Ranks of the stage."},
    {"iteration_time", "Time of its iterations", kTime, "Sum of their lengths."},
    {"computing", "Computing", kTime, "Time in which kernels compute."},
    {"transfer", "Transfer", kTime,
     "Time in which only transfers between stages run, with both ends there."},
    {"bubble", "Bubble", kTime, "Time that only waits for another stage."},
    {"bubble_share", "Bubble share", kShare, "The same as a share of the iteration time."},
    {"microbatches", "Micro-batches", kCount,
     "Number per iteration, if all replicas have as many."},
    {"ideal_share", "Ideal bubble", kShare,
     "(p - 1) / (m + p - 1) of p stages and m micro-batches: minimum of GPipe and 1F1B."},
};

inline constexpr ColumnSpec kProcessGroups[] = {
    {"name", "Group", kText, "Name of the process group, where recorded."},
    {"description", "Description", kText, "Purpose; groups may share one."},
    {"size", "Ranks", kCount, "Members, as listed or as recorded with its calls."},
    {"present", "In the run", kCount, "Members that are in this run."},
    kCalls,
    {"matched_calls", "Matched calls", kCount, "Calls that were found on all of their ranks."},
    {"time", "Time", kTime, "Sum of the durations on all ranks."},
    {"matched_share", "Matched time", kShare, "Share of that time in matched calls."},
    {"transfer_time", "Transfer", kTime, "Time of matched calls without waiting, over all ranks."},
    {"judged", "Judged", kBool,
     "Whether it can show who is late: all members were recorded and 95 % of its calls and time "
     "are matched."},
    {"slowdown", "Transfer against others", kNumber,
     "Transfer time relative to the median of the other groups with the same calls; 1 is equal. "
     "For groups whose ranks send to each other, of the slowest pair."},
    {"slow_time", "Lost on the link", kTime,
     "Additional time of these transfers compared with that median, on one rank."},
    {"slow_pair", "Slowest pair", kText, "The two ranks, of transfers between two."},
};

inline constexpr ColumnSpec kCollectives[] = {
    kRank,
    {"name", "Collective", kText,
     "all_reduce, all_gather, reduce_scatter, all_to_all, all_to_allv (of unequal parts), "
     "broadcast, reduce, send_recv, gather, scatter, barrier, or as recorded."},
    {"group", "Group", kText, "Process group, where recorded."},
    {"group_size", "Group size", kCount,
     "Ranks of the group: as recorded, from shapes, else all of the program."},
    {"dtype", "Type", kText, "Data type, where recorded."},
    kCalls,
    {"bytes", "Bytes", kBytes,
     "Sizes as nccl-tests counts them, all calls: of gathers and scatters the whole buffer."},
    {"mean_bytes", "Mean size", kBytes, "Bytes / calls."},
    {"time", "Time", kTime,
     "Sum of the durations on the device, or on the host where there is none."},
    kMean,
    {"transfer_time", "Transfer time", kTime,
     "Time of the fastest rank; the rest is waiting. Needs all ranks."},
    kExposed,
    {"bandwidth", "Algorithm bandwidth", kBandwidth,
     "Bytes / transfer time, of the calls that could be matched over ranks."},
    {"bus_bandwidth", "Bus bandwidth", kBandwidth,
     "Algorithm bandwidth times the collective's factor."},
    {"bus_bandwidth_unmatched", "Bandwidth with waiting", kBandwidth,
     "Bytes / time times the factor, where no call could be matched: the time includes waiting."},
    {"best_bandwidth", "Best bus bandwidth", kBandwidth,
     "Bus bandwidth of the fastest call: by its transfer where it was matched, else by its "
     "duration."},
    {"links_bandwidth", "Bandwidth of links", kBandwidth,
     "Bus bandwidth that the links between the ranks of the group reach, where all are in one "
     "machine and their maker states it."},
};

}  // namespace profgauge::analysis::catalog::columns
