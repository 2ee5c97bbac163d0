// Parts of AddCommunication(): metrics that need the matched calls or all ranks of a run.
#pragma once

#include <span>

#include "analysis/catalog/output.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/communication/rank_tables.h"

namespace profgauge::analysis::communication {

/// Sets the share of matched calls, and the cost of transfers without waiting.
void SetMatching(const Matching& matching, std::span<const RankParts> parts, catalog::Output& out);

/// Sets the straggler, its cost for the other ranks, and its cause. They are absent if late ranks
/// vary, or if there are too few late calls to exclude chance.
void SetStraggler(const Blame& blame, std::span<const RankFacts> ranks,
                  std::span<const RankParts> parts, catalog::Output& out);

/// Sets the number of ranks that took part in collectives but have no profile, by the largest group
/// in the profiles.
void SetMissingRanks(std::span<const RankFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::communication
