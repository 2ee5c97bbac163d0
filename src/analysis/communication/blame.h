// Late ranks, the cost for the others, and the cause on that rank.
//
// Cost of a rank = Σ over the matched calls of the selected iterations that it made late (below) of
// the group's exposed saving, had the last come with the next one; of several groups in each
// iteration the one that it costs most, since one delay that passes through many groups is lost
// once.
// Only groups whose members are all in the run and of whose calls at least 95 % are matched are
// judged. The rank with the largest cost straggles when it causes most of the cost of all, and does
// so in many iterations (without one-off time: observed.h) or, with fewer
// than three, in many calls; else late ranks change (jitter), and none is the straggler.
//
// The cause is found on that rank: between the call before and the one it was late for, its time is
// split as iterations are (breakdown/breakdown.h) and compared with the median of the other ranks.
// Where ranks compute on in their calls, whole iterations are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge::analysis::communication {

/// How much one rank delays the others. Times are exposed time in ns over the selected iterations.
/// last_calls are only those of groups that may blame, and cost only follows from them, also where
/// a transfer between two ranks passes it on. Waiting and transfer are of all groups.
struct RankLateness {
  Ns cost = 0;
  Ns once = 0;  ///< The one-off part of the cost.
  std::int64_t last_calls = 0;
  Ns waiting = 0, transfer = 0;  ///< Sums over its matched calls of kinds with a transfer.
  bool matched = false;          ///< Whether it has any.
  /// That of the most affected group in an iteration, by its number. They add up to the cost.
  std::map<std::int64_t, Ns> by_step;
};

/// The result for the run. Without a straggler either no rank delays the others enough, or `jitter`
/// or `too_few` gives the reason.
struct Blame {
  std::vector<RankLateness> ranks;  ///< As the run's.
  std::size_t groups = 0, judged_groups = 0;
  std::optional<std::size_t> straggler;  ///< Position in the run.
  bool jitter = false;                   ///< Somebody is late all the time, but not one rank.
  bool too_few = false;                  ///< Late in too few calls or iterations to exclude chance.
  /// "waiting for input data", "the host", "copies", "a slow {{ device.device }}", "more work on
  /// the {{ device.device }}", "communication of another group"; several parts with their shares
  /// when none covers 80 % of the lateness; empty when no one straggles.
  std::string cause;
};

/// REQUIRES: `matching` is MatchFacts() of `ranks`.
/// No rank is blamed in a run of one rank, or without matched calls: NobodyBlamed() gives the
/// reason.
Blame FindBlame(std::span<const RankFacts> ranks, const Matching& matching);

// The origin of lateness: a late call's cost, assigned to the ranks that made it late.
//
// A rank that comes last to a call may itself have waited before it, in calls of other groups: then
// its lateness belongs to the late ranks there. Since the group's previous call, the rank that came
// last has waited more, in exposed time, than the one that came before it; that part of the
// lateness is passed on to those calls, by how much longer each of them made it wait, and there to
// its late ranks, recursively. The rest is its own.
//
// A call's cost for its group is the exposed time by which the last but one waits in it longer than
// the last: one delay makes many calls late in sequence while the others compute ahead, and is lost
// once.
//
// Transfers between two ranks make no separate cost: a stage that waits for the one before it is
// normal in pipelines. They pass on time that later costs a group.
//
// Two groups share rank 1, which comes last to call B because it waited in call A. So the cost of B
// goes to the rank that was late for A:
//
//   rank 0  ....A#####            A: rank 0 comes last, and rank 1 waits (w) for 3
//   rank 1  .Awww#####..B####     B: rank 1 comes last by 3, as long as it waited in A
//   rank 2  .........Bwww####     the wait of rank 2, all of the cost of B, is passed on to rank 0

/// One call of a selected iteration in which a single member came last, in a group that may blame.
struct LateCall {
  /// The share of one late rank in the cost of the call.
  struct Part {
    std::size_t rank = 0;  ///< Position in the run.
    Ns cost = 0;
  };
  std::size_t call = 0;     ///< Position in Matching::calls.
  Ns cost = 0;              ///< Exposed part of the call's lateness; > 0.
  std::vector<Part> parts;  ///< They add up to it.
};

/// By call. REQUIRES: `matching` is MatchFacts() of `ranks`.
/// Each call is resolved once: O(calls x calls of other groups between two of a group).
std::vector<LateCall> AttributeLateness(std::span<const RankFacts> ranks, const Matching& matching);

}  // namespace profgauge::analysis::communication
