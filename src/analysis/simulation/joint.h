// The replay of a run whose ranks are all recorded: a collective ends on all of them together, when
// the last has come and the transfer is done.
//
// That moment needs no common clock. With w(r), how long rank r waited in the call as recorded, and
// m(r), how much later than recorded it comes in a replay, all end max over ranks (m - w) later
// than recorded, minus the reduction of the transfer. Unchanged it is 0: the last did not wait.
//
// Only calls of groups that are complete are joint; elsewhere arrivals stay as they were recorded.
//
// A call of two ranks. In the profile rank 1 came last; in the simulation its work is 4 shorter, so
// rank 0 comes last and both end 2 earlier:
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
    PathGraph::StepId end = 0;  ///< Its step before is the start.
    Ns waited = 0;              ///< As recorded, for the last rank.
  };

  /// `calls` are of `matching`, by rank as given to MatchRanks. Keeps the graphs, which must
  /// outlive it. O(steps + edges).
  JointReplay(std::span<const PathGraph> graphs, const communication::Matching& matching,
              std::span<const std::vector<communication::CollectiveCall>> calls);

  /// Calls that end on all ranks together in the replay.
  std::size_t joint_calls() const { return calls_.size() - dissolved_; }
  /// Calls whose order on the ranks contradicts itself; they are replayed only by each rank.
  std::size_t dissolved_calls() const { return dissolved_; }
  /// Whether the step is a rank's end of a joint call.
  bool IsJointEnd(std::size_t rank, PathGraph::StepId step) const {
    return CallOf(rank, step) != kNone;
  }
  /// The same of a call that Sends().
  bool IsSendEnd(std::size_t rank, PathGraph::StepId step) const {
    return IsJointEnd(rank, step) && sends_[CallOf(rank, step)];
  }

  /// The members of each joint call; none of one that is replayed only by each rank.
  std::span<const std::vector<Member>> calls() const { return calls_; }
  /// Whether the call sends from one rank to another: what the sender brings cannot be done
  /// without.
  bool Sends(std::size_t call) const { return sends_[call]; }

  /// Times of all steps by rank; changes by rank. A cut of a joint call
  /// is of its transfer; of different cuts on its ranks the least counts. Where
  /// its end is `alone`, that rank waits for no one; its cut is then of all that the call takes.
  /// `late`: by rank and work of the device, calls that do not wait for that rank; may be empty.
  /// A call whose ranks are all late waits for the last.
  std::vector<std::vector<Ns>> Replay(std::span<const ScenarioChanges> changes,
                                      std::span<const Flags> late = {}) const;
  /// By rank and step, the results of VisitSlacks(), where waiting for others gives room too.
  std::vector<std::vector<Ns>> Slacks() const;

 private:
  friend class JointScheduler;
  static constexpr std::uint32_t kNone = kNoIndex;
  /// Steps of one rank between two joint ends, which are simulated in one piece.
  struct Run {
    std::uint32_t rank = 0;
    PathGraph::StepId begin = 0, end = 0;
    std::uint32_t call = kNone;  // The call of a joint end, which is simulated by itself.
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
  std::vector<std::vector<std::uint32_t>> call_of_;  // By rank, by work of the device.
  std::vector<Run> runs_;                            // Predecessors first.
  std::size_t dissolved_ = 0;
};

}  // namespace profgauge::analysis::simulation
