// Launches: how long work waits between the host's call and its start, and how full the queues are.
// queue.h defines the queue, with a picture; queues of whole streams are in the table `streams`
// (device_tables.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::device {

/// Launches in the selected iterations of one rank.
struct LaunchFacts {
  bool any = false;                        ///< Whether the profile links any launch to work.
  std::vector<Ns> delays;                  ///< By launching call: delay of its first kernel.
  std::vector<std::int64_t> delay_counts;  ///< The count of each; empty: all are 1.
  Ns delay_error = 0;                      ///< Delays are rounded down by at most this.
  std::int64_t launches = 0;               ///< Calls with known work.
  std::int64_t into_empty_queue = 0;
};
/// `any` is false if no launch is linked to work: then delays are unknown, not 0.
LaunchFacts LaunchFactsOf(const iterations::RankContext& rank);
/// Merges equal delays and sorts them, with their counts. If there are more than 16 384 different
/// ones, trailing bits are dropped as needed: 1 234 567 ns with 10 bits kept is 1 232 896. The
/// error is in `delay_error`. May be applied repeatedly.
void FoldDelays(LaunchFacts& facts);
/// Sets launch.delay.median and launch.queue_empty_share over the launches of all ranks. Takes the
/// facts by value, because long profiles have tens of millions of delays. Ranks with and without
/// counts may be mixed.
void SetLaunchMetrics(std::vector<LaunchFacts> ranks, catalog::Output& out);

/// A row of the table launches.
struct LaunchRow {
  std::uint32_t row = 0;   ///< In the rank's device table.
  std::int32_t queue = 0;  ///< Queue length in its stream: ForEachLength().
};
/// The rows of one rank, sorted by GPU, stream and start; only rows in tables. O(n log n).
std::vector<LaunchRow> LaunchRowsOf(const iterations::RankContext& rank);
/// Appends the cells of these rows to columns of the table launches; unknown columns stay
/// unchanged. Texts go to `strings`.
void AppendLaunches(const iterations::RankContext& rank, std::span<const LaunchRow> rows,
                    std::span<Column* const> columns, StringPool& strings);

/// Adds launches (rows by rank, GPU, stream and start) and sets launch.*. The table is only built
/// on request: it has a row for each launch, and is the largest of all.
void AddLaunches(std::span<const iterations::RankContext> ranks, catalog::Output& out);
/// Adds launches for formats that have only durations (PyProf's net.dict): a row for each kernel,
/// as recorded, without times and calls.
void AddKernelCalls(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::device
