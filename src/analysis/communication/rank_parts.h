// Where the iterations of one rank go: a partition into what computes, communicates, waits, copies
// and loads. The parts add up to the rank's iteration time exactly.
#pragma once

#include <span>

#include "analysis/communication/communication.h"
#include "analysis/context/context.h"

namespace profgauge {

struct RankParts {
  Ns compute_only = 0;      ///< Kernels compute and nothing communicates.
  Ns overlapped = 0;        ///< Both.
  Ns waiting_exposed = 0;   ///< Only collectives run, before the last of their ranks has come.
  Ns transfer_exposed = 0;  ///< Only collectives run, otherwise; also where nobody was matched.
  Ns copy = 0;              ///< Copies and memory sets, and none of the above.
  Ns dataloader = 0;
  Ns host = 0;  ///< Runtime calls and operators of the host while its GPUs idle.
  Ns unattributed = 0;
  bool matched = false;  ///< Whether waiting could be told from transfer.

  Ns sum() const {
    return compute_only + overlapped + waiting_exposed + transfer_exposed + copy + dataloader +
           host + unattributed;
  }
};

/// Of the selected iterations. `calls` are the rank's, with `transfer` set by MatchRanks().
RankParts PartsOf(const RankContext& rank, std::span<const CollectiveCall> calls);

}  // namespace profgauge
