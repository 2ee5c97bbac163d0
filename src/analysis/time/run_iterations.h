// The iterations of the whole run, over all of its ranks: their times, statistics and breakdown.
//
// Iteration i of a run lasts as long as its slowest rank: ranks wait for each other, so that is
// what the run pays. Its row in the table of iterations is the slowest rank's, whose parts add up
// to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"
#include "analysis/time/breakdown.h"

namespace profgauge {

struct RunIteration {
  std::string name;
  std::size_t rank = 0;       ///< Position in `ranks` of the slowest.
  std::size_t iteration = 0;  ///< Its index into iterations.all there.
  Ns duration = 0;
};

/// The selected iterations. Ranks are matched by the iterations' numbers, so that a rank which
/// began recording later does not shift the others.
std::vector<RunIteration> PoolIterations(std::span<const RankContext> ranks);

/// Sets profile.ranks, profile.gpus and profile.kernel_time: what needs no timeline.
void SetRecording(std::span<const RankContext> ranks, Output& out);

/// Sets profile.*, iteration.*, breakdown.* and dataloader.exposed_share, adds the table of
/// iterations, and proposes a steady sub-range when the selection is unsteady.
void AddIterations(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
