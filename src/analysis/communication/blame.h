// Late ranks, their cost for the other ranks, and the cause on the late rank.
//
// A rank's cost is the sum over the matched calls of the selected iterations that it made late (see
// below). For each call, it is the exposed time that the group would save if the last rank had come
// with the next one. A delay that passes through several groups is lost once, so each iteration
// counts only the group with the largest cost.
// Only groups with all members in the run and at least 95 % of their calls matched are judged. The
// rank with the largest cost is the straggler if it causes most of the total cost, in many
// iterations (without one-off time: observed.h) or, with fewer than three iterations, in many
// calls. Otherwise late ranks vary (jitter), and there is no straggler.
//
// To find the cause, the late rank's time since the previous call is split like that of iterations
// (breakdown/breakdown.h), and compared with the median of the other ranks. If ranks compute during
// their calls, whole iterations are compared.
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
/// `last_calls` and `cost` only use groups that may blame; cost passes through transfers between
/// two ranks. `waiting` and `transfer` cover all groups.
struct RankLateness {
  Ns cost = 0;
  Ns once = 0;  ///< The one-off part of the cost.
  std::int64_t last_calls = 0;
  Ns waiting = 0, transfer = 0;  ///< Sums over its matched calls with a known transfer.
  bool matched = false;          ///< Whether it has any such call.
  /// By iteration number, the cost in the most affected group. The values add up to the cost.
  std::map<std::int64_t, Ns> by_step;
};

/// The result for the run. Without a straggler, either no rank delays the others enough, or
/// `jitter` or `too_few` is set.
struct Blame {
  std::vector<RankLateness> ranks;  ///< In the order of the run.
  std::size_t groups = 0, judged_groups = 0;
  std::optional<std::size_t> straggler;  ///< Position in the run.
  bool jitter = false;                   ///< Some rank is always late, but not the same one.
  bool too_few = false;                  ///< Too few late calls or iterations to exclude chance.
  /// "waiting for input data", "the host", "copies", "a slow {{ device.device }}", "more work on
  /// the {{ device.device }}", "communication of another group"; several parts with their shares if
  /// none covers 80 % of the lateness; empty without a straggler.
  std::string cause;
};

/// Finds the straggler. Blames no rank if there is only one, or no matched call; NobodyBlamed() has
/// the reason. REQUIRES: `matching` is MatchFacts() of `ranks`.
Blame FindBlame(std::span<const RankFacts> ranks, const Matching& matching);

// Assigns the cost of a late call to the ranks that caused it.
//
// A rank that arrives last at a call may itself have waited in calls of other groups: then its
// lateness is due to the late ranks of those calls. Since the group's previous call, compare the
// exposed waiting of the last rank with that of the rank before it. The excess is passed on to
// those calls, in proportion to the excess in each, and there to the late ranks, recursively. The
// rest is the last rank's own.
//
// A call's cost for its group is the exposed time by which the second to last rank waits longer
// than the last. Only exposed time counts: one delay makes many calls late while the others compute
// ahead, but is lost once.
//
// Transfers between two ranks have no cost, because stages of a pipeline normally wait for each
// other. They only pass on time that later costs a group.
//
// Example: two groups share rank 1, which arrives last at call B because it waited in call A. So
// the cost of B goes to the rank that was late for A:
//
//   rank 0  ....A#####            A: rank 0 comes last, and rank 1 waits (w) for 3
//   rank 1  .Awww#####..B####     B: rank 1 comes last by 3, as long as it waited in A
//   rank 2  .........Bwww####     the wait of rank 2, all of the cost of B, is passed on to rank 0

/// A call of a selected iteration with one last member, in a group that may blame.
struct LateCall {
  /// The share of one late rank in the cost of the call.
  struct Part {
    std::size_t rank = 0;  ///< Position in the run.
    Ns cost = 0;
  };
  std::size_t call = 0;     ///< Position in Matching::calls.
  Ns cost = 0;              ///< Exposed part of the call's lateness; > 0.
  std::vector<Part> parts;  ///< They add up to `cost`.
};

/// Returns the late calls by position. REQUIRES: `matching` is MatchFacts() of `ranks`. Each call
/// is resolved once: O(calls x calls of other groups between two calls of a group).
std::vector<LateCall> AttributeLateness(std::span<const RankFacts> ranks, const Matching& matching);

}  // namespace profgauge::analysis::communication
