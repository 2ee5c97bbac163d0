// The contents of an iteration: ranges and operators on the host as they contain each other, down
// to the device work that they launch.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"
#include "analysis/time/run_iterations.h"

namespace profgauge {

/// Adds `op_tree`. Siblings of one name are one row; a thread is a row at the top.
///
/// Trees follow each other until there are 20 000 rows: of the iteration nearest the median (of
/// every rank), of the slowest, then of the others in order. Times of host rows are inclusive
/// (`host_total`) and without children (`host_self`); device times are sums of durations of the
/// work launched in a row, so that each device row is counted once at every level.
/// `run`: PoolIterations() of the ranks.
void AddIterationTree(std::span<const RankContext> ranks, std::span<const RunIteration> run,
                      Output& out);

}  // namespace profgauge
