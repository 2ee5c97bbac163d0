// Replays a run with all ranks recorded: a collective ends on all ranks together, when the last
// rank has arrived and the transfer is done.
//
// This needs no common clock. Let w(r) be how long rank r waited in the call as recorded, and m(r)
// how much later than recorded it arrives in the replay. Then the recorded end moves on all ranks
// by the largest m - w of any rank, minus the reduction of the transfer. Without changes this is 0,
// because the last rank did not wait.
//
// Only calls of complete groups are joint; in other calls arrivals stay as recorded.
//
// Example of a call of two ranks. In the profile rank 1 arrived last; in the simulation its work is
// 4 shorter, so rank 0 arrives last and both end 2 earlier:
//
//   recorded    rank 0  ....|ww####|        w = 2, m = 0:   m - w = -2
//               rank 1  ......|####|        w = 0, m = -4:  m - w = -4
//   simulated   rank 0  ....|####|          the end moves by max(-2, -4) = -2
//               rank 1  ..|ww####|
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/communication/collective_calls.h"
#include "analysis/communication/matching.h"
#include "analysis/simulation/flags.h"
#include "analysis/simulation/graph.h"
#include "analysis/simulation/scenario_changes.h"
#include "base/numbers.h"

namespace profgauge::analysis::simulation {

/// All ranks of a run, simulated together.
class JointReplay {
 public:
  /// A rank's part in a call.
  struct Member {
    std::uint32_t rank = 0;     ///< Position in the run.
    PathGraph::StepId end = 0;  ///< The end of its collective; the step before is the start.
    Ns waited = 0;              ///< Recorded waiting for the last rank.
  };

  /// `calls`: the calls of `matching`, by rank in the order of MatchRanks(). Keeps references to
  /// the graphs, which must outlive it. O(steps + edges).
  JointReplay(std::span<const PathGraph> graphs, const communication::Matching& matching,
              std::span<const std::vector<communication::CollectiveCall>> calls);

  /// Number of calls that end on all ranks together in the replay.
  std::size_t joint_calls() const { return calls_.size() - dissolved_; }
  /// Number of calls in contradictory order on the ranks; each rank simulates these separately.
  std::size_t dissolved_calls() const { return dissolved_; }
  /// Whether the step is the end of a joint call on the rank.
  bool IsJointEnd(std::size_t rank, PathGraph::StepId step) const {
    return CallOf(rank, step) != kNone;
  }
  /// Whether the step is the end of a joint call that sends (Sends()).
  bool IsSendEnd(std::size_t rank, PathGraph::StepId step) const {
    return IsJointEnd(rank, step) && sends_[CallOf(rank, step)];
  }

  /// The members of each joint call; empty for a dissolved call.
  std::span<const std::vector<Member>> calls() const { return calls_; }
  /// Whether the call sends data from one rank to another, which cannot continue without the data.
  bool Sends(std::size_t call) const { return sends_[call]; }

  /// Simulates all ranks. Returns the times of all steps, by rank; `changes`: by rank. A cut of a
  /// joint call shortens its transfer; if its ranks have different cuts, the smallest counts. If
  /// the end is `alone` on a rank, that rank does not wait for others, and its cut applies to the
  /// whole call. `late`: by rank and device work, the calls that do not wait for that rank; may be
  /// empty. A call whose ranks are all late waits for the last of them.
  std::vector<std::vector<Ns>> Replay(std::span<const ScenarioChanges> changes,
                                      std::span<const Flags> late = {}) const;
  /// By rank and step, the slack of VisitSlacks(), increased by waiting for other ranks.
  std::vector<std::vector<Ns>> Slacks() const;

 private:
  friend class JointScheduler;
  static constexpr std::uint32_t kNone = kNoIndex;
  /// Steps of one rank between two joint ends, which are simulated together.
  struct Run {
    std::uint32_t rank = 0;
    PathGraph::StepId begin = 0, end = 0;
    std::uint32_t call = kNone;  // The joint call that ends here, simulated separately.
  };

  void AddCalls(const communication::Matching& matching,
                std::span<const std::vector<communication::CollectiveCall>> calls);
  std::uint32_t CallOf(std::size_t rank, PathGraph::StepId step) const {
    const std::vector<std::uint32_t>& known = call_of_[rank];
    return (step & 1) != 0 && step / 2 < known.size() ? known[step / 2] : kNone;
  }
  Ns EndOf(const Run& run, std::span<const ScenarioChanges> changes, std::span<const Flags> late,
           const std::vector<std::vector<Ns>>& times) const;

  std::span<const PathGraph> graphs_;
  std::vector<std::vector<Member>> calls_;           // Empty: dissolved.
  Flags sends_;                                      // By call.
  std::vector<std::vector<std::uint32_t>> call_of_;  // By rank and device work.
  std::vector<Run> runs_;                            // Predecessors first.
  std::size_t dissolved_ = 0;
};

}  // namespace profgauge::analysis::simulation
