// The operators of each iteration: names, times, and the device work that they launched.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::ops {

/// Adds `ops_by_iteration`: a row for each selected iteration, rank and operator name in it, with
/// or without launched device work (DLProf Viewer's "Ops in Selected Iteration"). Does nothing if
/// the table is not requested. O(device rows + host rows).
void AddIterationOps(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// The tree of an iteration: nested ranges and operators on the host, down to the device work that
// they launch.

/// Adds `op_tree`. Siblings with the same name are one row; a thread is a row at the top.
///
/// Adds one tree after another up to 20 000 rows: of the iteration nearest to the median (for every
/// rank), of the slowest one, then of the others in order. Times of host rows are inclusive
/// (`host_total`) and without children (`host_self`). Device times are sums of durations of the
/// work launched in a row, so that each device row counts once at every level.
/// `run`: PoolIterations() of the ranks.
void AddIterationTree(std::span<const iterations::RankContext> ranks,
                      std::span<const breakdown::RunIteration> run, catalog::Output& out);

// Counts per iteration of requests to the GPU: launching calls, Tensor Core kernels, copied bytes.
// A program makes equally many in every run, so any change is relevant.

/// Sums of one rank over the launches of its selected iterations.
struct CountFacts {
  std::int64_t iterations = 0;
  std::int64_t launches = 0, tensor_core_kernels = 0;
  std::array<std::int64_t, 3> bytes{};                   ///< To, from and on devices.
  std::array<bool, 3> is_complete = {true, true, true};  ///< Whether every copy's size is known.
  bool has_device = false, has_launches = false, has_kernels = false;
};
/// Returns the counts of one rank; flags show which of them are known. O(device rows). A call that
/// launches several kernels counts once.
CountFacts CountFactsOf(const iterations::RankContext& rank);

/// Sets launch.count_per_iteration, tensor_core.kernels_per_iteration and
/// memcpy.{h2d,d2h,d2d}.bytes_per_iteration: launches of the selected iterations, per iteration, as
/// a mean over ranks. A metric is absent if its flag is false, because an incomplete sum would look
/// complete.
void AddCounts(std::span<const CountFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::ops
