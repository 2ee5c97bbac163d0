// Launches: how long work waits between the host's call and its start, and how full the queues are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// One launch of a stream: when its call began, and when its work began on the device.
struct QueueItem {
  Ns launched = 0;
  Ns started = 0;
};

/// What happened to one stream's queue, in time order: +1 at each launch, −1 at each start (HTA).
struct QueueEvent {
  Ns time = 0;
  std::int64_t length = 0;  ///< After the event; never negative.
};
/// A launch at the very time of a start comes first. O(n log n).
std::vector<QueueEvent> QueueEvents(std::span<const QueueItem> items);

/// Calls `visit` for each item, in their order, with its queue length: how many of the others had
/// been launched before it and had not started when it was launched. O(n log n).
void VisitQueueLengths(std::span<const QueueItem> items,
                       const std::function<void(std::int64_t)>& visit);

/// How full a queue was over its events, without the list of them.
struct QueueSums {
  std::int64_t events = 0, length = 0, longest = 0;  ///< `length`: the sum over events.
  Ns full_time = 0;  ///< Time in which at least `full` launches were in the queue.
  Ns first = 0, last = 0;
};
QueueSums SumQueue(std::span<const QueueItem> items, std::int64_t full);

/// Of the selected iterations of one rank.
struct LaunchFacts {
  bool any = false;                        ///< A launch is linked to work, in the whole recording.
  std::vector<Ns> delays;                  ///< Of calls that launch kernels, to the first of them.
  std::vector<std::int64_t> delay_counts;  ///< How often each occurs; empty: once.
  Ns delay_error = 0;                      ///< Delays are rounded down by less than this; 0: exact.
  std::int64_t launches = 0;               ///< Calls whose work is known.
  std::int64_t into_empty_queue = 0;
};
LaunchFacts LaunchFactsOf(const RankContext& rank);
/// Each delay once, ascending, with its count. Of more than 16 384 different ones the last digits
/// are dropped, as many as it takes.
void FoldDelays(LaunchFacts& facts);
/// Sets launch.delay.median and launch.queue_empty_share.
void SetLaunchMetrics(std::vector<LaunchFacts> ranks, Output& out);

/// A row of the table launches.
struct LaunchRow {
  std::uint32_t row = 0;   ///< Of the rank's device table.
  std::int32_t queue = 0;  ///< Its length, as of VisitQueueLengths(), in its stream.
};
/// Those of one rank, by GPU, stream and start.
std::vector<LaunchRow> LaunchRowsOf(const RankContext& rank);
/// Appends the cells of these rows to columns of launches; what other columns there are stay as
/// they are. Texts go to `strings`.
void AppendLaunches(const RankContext& rank, std::span<const LaunchRow> rows,
                    std::span<Column* const> columns, StringPool& strings);

/// Adds launches (rows by rank, GPU, stream and start) and sets launch.*.
void AddLaunches(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
