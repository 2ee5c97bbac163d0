// The tables of ranks by iteration: each rank's times in each, and their spread over ranks.
#pragma once

#include <span>

#include "analysis/communication/blame.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds `rank_steps` and `rank_spread`, of two ranks or more. Iterations of ranks are the same
/// where their numbers are.
void FillSteps(std::span<const RankFacts> ranks, const Blame& blame, Output& out);

}  // namespace profgauge
