// Pipelines: which ranks are their stages, and how long stages wait for each other.
//
// A pipeline is a chain of ranks that send to each other; its first stage is the one that begins
// every iteration by sending. Bubble of a rank: the time in which it only waits in matched
// transfers between stages. The ideal bubble of p stages and m micro-batches (GPipe, 1F1B) is
// (p - 1) / (m + p - 1) of an iteration. Where stages have several parts of the model each
// (interleaved), the last sends to the first, and a micro-batch counts once for each part.
//
// The ideal of p = 3 stages and m = 4 micro-batches, one slot each: 2 of 6 slots of every stage are
// idle.
//
//   stage 0  |1|2|3|4|.|.|
//   stage 1  |.|1|2|3|4|.|
//   stage 2  |.|.|1|2|3|4|
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge::analysis::communication {

/// The pipeline of a run, by stage. Times are ns over the selected iterations.
struct Pipeline {
  /// One stage: the ranks with the same place in every chain.
  struct Stage {
    std::int64_t ranks = 0;
    Ns iteration_time = 0;  ///< Sum over its ranks; so are the others.
    Ns computing = 0, bubble = 0, transfer = 0;
  };
  std::vector<Stage> stages;  ///< Empty: ranks form no pipeline.
  /// For the run's ranks, by iteration: the time in which each only waits for another stage.
  std::vector<std::vector<Ns>> waiting;
  std::int64_t microbatches = 0;  ///< Per iteration; 0 when replicas differ.

  double ideal_share() const;  ///< REQUIRES: microbatches > 0.
};

/// Part of its iterations: the exposed time of transfers that were not matched, or whose ends are
/// unknown: whether it waits there for another stage is unknown.
Ns UntoldTransfers(const RankFacts& rank);

/// REQUIRES: `matching` is MatchFacts() of `ranks`; `parts` are their MatchedParts().
Pipeline FindPipeline(std::span<const RankFacts> ranks, std::span<const RankParts> parts,
                      const Matching& matching);

}  // namespace profgauge::analysis::communication
