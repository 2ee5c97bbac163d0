// Matches calls on different ranks to collectives; finds transfer times and last ranks.
//
// A group is identified by its name and members. Calls on its ranks are one collective if their
// recorded number (`Seq`) is equal. Without numbers, they must have the same position in the
// group's calls of an iteration and the same signature (kind, type, an all-reduce's elements).
// Incomplete sequences are aligned by their longest common subsequence. A call that is missing on a
// rank is unmatched. Calls between two ranks are matched by source, destination and order.
//
// Clocks are not compared. A symmetric collective ends on all ranks together, so the rank with the
// shortest duration d came last: transfer T = min d, waiting of a rank = d - T. The lateness of the
// last rank is the second shortest d minus the shortest: the group's saving if it came with the
// next one. Broadcasts and reduces to one rank end separately on each rank; waiting in them is
// unknown, so they have no transfer. Sizes are defined as on nccl-tests' performance page. These
// times agree with aligned clocks within 0.1 to 0.5 %.
//
// The calls of a symmetric collective with aligned ends. Only durations are used:
//
//   rank 0  |wwwwwww########|      d = 15   waiting 15 - 8 = 7
//   rank 1         |########|      d =  8   last: transfer T = 8, lateness 11 - 8 = 3
//   rank 2      |www########|      d = 11   waiting 11 - 8 = 3
//                           ^ all ends are at the same time, independent of clocks
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::communication {

/// One collective over its ranks.
struct MatchedCall {
  /// One rank's part in the call.
  struct Member {
    std::size_t rank = 0;  ///< Position in the run.
    std::size_t call = 0;  ///< Position among the rank's calls.
  };
  /// By rank, ascending; at least two.
  std::vector<Member> members;
  std::size_t group = 0;       ///< Position in Matching::groups.
  Ns transfer = -1;            ///< -1 for kinds whose ranks end separately.
  Ns lateness = 0;             ///< Lateness of the last; 0 at a tie.
  std::size_t last = kNobody;  ///< Position in `members`; kNobody at a tie.
  std::size_t next = kNobody;  ///< The rank before `last`; kNobody at a tie.

  static constexpr std::size_t kNobody = ~std::size_t{0};
};

/// One process group, or one pair of ranks, over the run.
struct GroupMatch {
  std::string name;                   ///< Empty if not recorded: one group of all.
  std::string description;            ///< May be empty.
  std::vector<std::int64_t> members;  ///< Global ranks, if recorded.
  std::int64_t size = -1;             ///< Number of ranks; -1 unknown.
  std::vector<std::size_t> present;   ///< Positions in the run.
  bool point_to_point = false;
  std::int64_t calls = 0, matched_calls = 0;  ///< Over its ranks.
  Ns time = 0, matched_time = 0;              ///< Sums of durations.

  bool complete() const { return size > 0 && static_cast<std::int64_t>(present.size()) == size; }
  /// Whether its calls can identify late ranks: all members are in the run, and at least 95 % of
  /// its calls and of their time are matched.
  bool MayBlame() const;
};

/// All groups and matched calls of a run. Empty without recorded collectives.
struct Matching {
  std::vector<GroupMatch> groups;  ///< By name.
  std::vector<MatchedCall> calls;  ///< By group, in the order of the first member.
};

/// Data of a rank that matching needs besides its calls.
struct RankGroups {
  std::span<const ProcessGroup> groups;  ///< Groups that it lists as its own.
  std::int64_t world_size = -1;
};

/// Matches the calls of the run and sets `transfer` of matched calls. `calls` has one list per
/// rank, by start.
/// REQUIRES: one entry of `ranks` for each list of `calls`, at least one. `transfer` is -1 in all
/// calls. Members of a call are positions in the lists, so lists may move but not change. O(calls
/// log calls); if calls are missing on a rank, up to 4 million steps for each iteration and rank.
Matching MatchRanks(std::span<const RankGroups> ranks,
                    std::span<const std::span<CollectiveCall>> calls);
/// Like the function above, for the contexts of the ranks, in their order.
Matching MatchRanks(std::span<const iterations::RankContext> ranks,
                    std::span<std::vector<CollectiveCall>> calls);

}  // namespace profgauge::analysis::communication
