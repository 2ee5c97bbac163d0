// Launches: how long work waits between the host's call and its start, and how full the queues are.
// The queue is defined in queue.h, with a picture; queues of whole streams are in the table
// `streams` (device_tables.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::device {

/// For the selected iterations of one rank.
struct LaunchFacts {
  bool any = false;                        ///< A launch is linked to work, in the whole profile.
  std::vector<Ns> delays;                  ///< For calls that launch kernels, to the first of them.
  std::vector<std::int64_t> delay_counts;  ///< How often each occurs; empty: once.
  Ns delay_error = 0;                      ///< Delays are rounded down by less than this; 0: exact.
  std::int64_t launches = 0;               ///< Calls whose work is known.
  std::int64_t into_empty_queue = 0;
};
/// `any` is false if no launch is linked to work: delays are unknown then, not 0.
LaunchFacts LaunchFactsOf(const iterations::RankContext& rank);
/// Each delay once, ascending, with its count. If there are more than 16 384 different ones the
/// last digits are dropped, as many as it takes: 1 234 567 ns with 10 bits kept is 1 232 896. The
/// error is in `delay_error`. Folded facts may be folded again.
void FoldDelays(LaunchFacts& facts);
/// Sets launch.delay.median and launch.queue_empty_share over the launches of all ranks. Takes the
/// facts by value: a long profile has tens of millions of delays. Ranks with counts and ranks
/// without may mix.
void SetLaunchMetrics(std::vector<LaunchFacts> ranks, catalog::Output& out);

/// A row of the table launches.
struct LaunchRow {
  std::uint32_t row = 0;   ///< In the rank's device table.
  std::int32_t queue = 0;  ///< Its length, as of ForEachLength(), in its stream.
};
/// Those of one rank, by GPU, stream and start; only rows that tables cover. O(n log n).
std::vector<LaunchRow> LaunchRowsOf(const iterations::RankContext& rank);
/// Appends the cells of these rows to columns of launches; other columns stay as
/// they are. Texts go to `strings`.
void AppendLaunches(const iterations::RankContext& rank, std::span<const LaunchRow> rows,
                    std::span<Column* const> columns, StringPool& strings);

/// Adds launches (rows by rank, GPU, stream and start) and sets launch.*. The table is made only
/// if it is wanted: it has a row for each launch, and is the largest of all.
void AddLaunches(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::device
