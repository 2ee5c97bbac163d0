// Exposed communication of a rank: the time in which its collectives run and nothing computes.
#pragma once

#include <span>

#include "analysis/communication/collective_calls.h"
#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::communication {

/// Times of one rank in its window, summed over its own GPUs (RankContext::gpus), so that a kernel
/// on another rank's GPU adds nothing.
struct RankTimes {
  Ns compute = 0, communication = 0, hidden = 0;
  Ns window = 0;              ///< Sum over all its GPUs.
  Ns observed = 0, busy = 0;  ///< Sums of GpuUse.
  Ns exposed() const { return communication - hidden; }
};

/// Measures one rank within its window. If no GPU communicates, gloo's ranges on the host count.
/// Without calls, communication is 0. O(events of the rank's GPUs).
RankTimes MeasureRank(const iterations::RankContext& rank, std::span<const CollectiveCall> calls);

}  // namespace profgauge::analysis::communication
