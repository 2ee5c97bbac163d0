// The ranks that matter on one time axis: the latest rank, and of those that it meets in the
// iteration in which it costs them most, the one that waits as the median and the one that waits
// most, which came first.
#pragma once

#include <cstddef>
#include <span>

#include "analysis/communication/blame.h"
#include "analysis/communication/clocks.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds `rank_calls`, of the first kCallsShown calls of each.
/// REQUIRES: `matching` is MatchFacts() of `ranks`, `blame` and `clocks` are of both.
void FillRankCalls(std::span<const RankFacts> ranks, const Matching& matching, const Blame& blame,
                   const Clocks& clocks, Output& out);

inline constexpr std::size_t kCallsShown = 300;

}  // namespace profgauge
