// Parts of AddCommunication(): metrics of a run that need its matched calls, or all of its ranks.
#pragma once

#include <span>

#include "analysis/catalog/output.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/communication/rank_tables.h"

namespace profgauge::analysis::communication {

/// How many calls have one on every rank of their group, and what transfers cost without waiting.
void SetMatching(const Matching& matching, std::span<const RankParts> parts, catalog::Output& out);

/// The rank for which the others wait, what that costs them, and why it is late. Absent where
/// nobody is: the reason says whether late ranks change, or are late in too few calls to exclude
/// chance.
void SetStraggler(const Blame& blame, std::span<const RankFacts> ranks,
                  std::span<const RankParts> parts, catalog::Output& out);

/// Ranks that took part in collectives and have no profile here, by the largest group that they
/// name.
void SetMissingRanks(std::span<const RankFacts> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::communication
