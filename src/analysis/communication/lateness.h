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
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge {

/// One call in which a single member came last, in a group that may blame.
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
std::vector<LateCall> AttributeLateness(std::span<const RankFacts> ranks, const Matching& matching);

}  // namespace profgauge
