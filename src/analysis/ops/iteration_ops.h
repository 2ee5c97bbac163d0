// The operators of each iteration: which ran, when, and how much device work they launched.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::ops {

/// Adds `ops_by_iteration`: a row for each selected iteration, rank and operator name that ran in
/// it, whether it launched device work or not (DLProf Viewer's "Ops in Selected Iteration").
/// Nothing if the selection does not want the table. O(device rows + host rows).
void AddIterationOps(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// The contents of an iteration: ranges and operators on the host as they contain each other, down
// to the device work that they launch.

/// Adds `op_tree`. Siblings of one name are one row; a thread is a row at the top.
///
/// Trees follow each other until there are 20 000 rows: of the iteration nearest the median (of
/// every rank), of the slowest, then of the others in order. Times of host rows are inclusive
/// (`host_total`) and without children (`host_self`); device times are sums of durations of the
/// work launched in a row, so that each device row is counted once at every level.
/// `run`: PoolIterations() of the ranks.
void AddIterationTree(std::span<const iterations::RankContext> ranks,
                      std::span<const breakdown::RunIteration> run, catalog::Output& out);

// One iteration's requests to the GPU: launching calls, Tensor Core kernels, bytes copied. For the
// same program these are the same in every run, so that any change is news.

/// For one rank: sums over the launches of its selected iterations.
struct CountFacts {
  std::int64_t iterations = 0;
  std::int64_t launches = 0, tensor_core_kernels = 0;
  std::array<std::int64_t, 3> bytes{};                   ///< To, from and on devices.
  std::array<bool, 3> is_complete = {true, true, true};  ///< Every copy's size is known.
  bool has_device = false, has_launches = false, has_kernels = false;
};
/// The counts of one rank; its flags state which of them are known.
/// O(device rows). A call that launches several kernels counts once.
CountFacts CountFactsOf(const iterations::RankContext& rank);

/// Sets launch.count_per_iteration, tensor_core.kernels_per_iteration and
/// memcpy.{h2d,d2h,d2d}.bytes_per_iteration: sums over the launches of the selected iterations, per
/// iteration, mean over ranks.
/// Each metric is absent where its flag is false: a sum of some copies would look like all.
void AddCounts(std::span<const CountFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::ops
