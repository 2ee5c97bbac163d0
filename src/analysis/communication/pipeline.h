// Pipelines: the ranks of each stage, and how long stages wait for each other.
//
// A pipeline is a chain of ranks that send to each other; its first stage begins every iteration by
// sending. The bubble of a rank is the time in which it only waits in matched transfers between
// stages. The ideal bubble of p stages and m micro-batches (GPipe, 1F1B) is (p - 1) / (m + p - 1)
// of an iteration. If each stage has several parts of the model (interleaved), the last sends to
// the first, and a micro-batch counts once for each part.
//
// Example: p = 3 stages and m = 4 micro-batches of one slot each. Ideally 2 of 6 slots of every
// stage are idle.
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
  /// One stage: the ranks at the same position in every chain.
  struct Stage {
    std::int64_t ranks = 0;
    Ns iteration_time = 0;  ///< Sum over its ranks, like the others.
    Ns computing = 0, bubble = 0, transfer = 0;
  };
  std::vector<Stage> stages;  ///< Empty if ranks form no pipeline.
  /// By rank and iteration: the time in which it only waits for another stage.
  std::vector<std::vector<Ns>> waiting;
  std::int64_t microbatches = 0;  ///< Per iteration; 0 if replicas differ.

  double ideal_share() const;  ///< REQUIRES: microbatches > 0.
};

/// Returns the exposed time of transfers in the iterations that were not matched or have unknown
/// ends. How much of it is waiting for another stage is unknown.
Ns UntoldTransfers(const RankFacts& rank);

/// REQUIRES: `matching` is MatchFacts() of `ranks`; `parts` are their MatchedParts().
Pipeline FindPipeline(std::span<const RankFacts> ranks, std::span<const RankParts> parts,
                      const Matching& matching);

}  // namespace profgauge::analysis::communication
