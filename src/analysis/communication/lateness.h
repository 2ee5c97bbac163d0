// Whose lateness it was: what a late call costs its group, put down to the ranks that made it late.
//
// A rank that comes last to a call may itself have waited before it, in calls of other groups: then
// its lateness is theirs who were late there. Since the group last met (its call before), the rank
// that came last has waited so much more, in exposed time, than the one that came before it; that
// part of the lateness is passed on to those calls, by how much longer each of them made it wait,
// and there to whoever was late in turn. The rest is its own.
//
// A call costs its group what the one that came before the last waits in it, beside no computation,
// longer than the last: one delay makes many calls late in turn while the others compute ahead, and
// is lost once.
//
// Transfers between two ranks make no separate cost: a stage that waits for the one before it
// is what pipelines do. They pass on what later costs a group its time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge {

/// Of one call in which somebody came last alone, in a group that may blame.
struct LateCall {
  struct Part {
    std::size_t rank = 0;  ///< Position in the run.
    Ns cost = 0;
  };
  std::size_t call = 0;     ///< Position in Matching::calls.
  Ns cost = 0;              ///< Of the call's lateness, what nothing hides; > 0.
  std::vector<Part> parts;  ///< They add up to it.
};

/// By call. REQUIRES: `matching` is MatchFacts() of `ranks`.
std::vector<LateCall> AttributeLateness(std::span<const RankFacts> ranks, const Matching& matching);

}  // namespace profgauge
