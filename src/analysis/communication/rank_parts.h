// Where the iterations of one rank go: a partition into what computes, communicates, waits, copies
// and loads. The parts add up to the rank's iteration time exactly.
#pragma once

#include <span>
#include <vector>

#include "analysis/time/breakdown.h"
#include "analysis/time/category_times.h"
#include "base/units.h"

namespace profgauge {

struct RankParts {
  Ns compute_only = 0;      ///< Kernels compute and nothing communicates.
  Ns overlapped = 0;        ///< Both.
  Ns waiting_exposed = 0;   ///< Nothing computes, before the last of the ranks has come.
  Ns transfer_exposed = 0;  ///< Nothing computes, otherwise; also where no one was matched.
  Ns copy = 0;              ///< Copies and memsets, and none of the above.
  Ns dataloader = 0;
  Ns host = 0;  ///< Runtime calls and operators of the host while its GPUs idle.
  Ns unattributed = 0;
  bool matched = false;  ///< Whether waiting could be told from transfer.

  Ns sum() const {
    return compute_only + overlapped + waiting_exposed + transfer_exposed + copy + dataloader +
           host + unattributed;
  }
};

/// Of each selected iteration, as if no call were matched: MatchedParts() of rank_facts.h tells
/// waiting from transfer.
std::vector<RankParts> PartsOfSteps(const CategoryTimes& times);
/// Of all steps together.
RankParts SumOf(std::span<const RankParts> steps);

/// From an iteration's breakdown and the time in which it computes and communicates at once.
RankParts PartsFrom(const Breakdown& breakdown, Ns overlapped);

}  // namespace profgauge
