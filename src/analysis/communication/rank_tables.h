// The tables of ranks, process groups, sizes of messages and stages of a pipeline.
#pragma once

#include <span>
#include <string>

#include "analysis/communication/blame.h"
#include "analysis/communication/pipeline.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// `is_unknown`: there must be communication, and none was recognized.
void FillRanks(std::span<const RankFacts> ranks, std::span<const RankParts> parts,
               const Blame& blame, const Pipeline& pipeline, bool is_unknown, Output& out);
/// Each function fills the table that its name states.
void FillGroups(std::span<const RankFacts> ranks, const Matching& matching, Output& out);
void FillSizes(std::span<const RankFacts> ranks, Output& out);
void FillStages(const Pipeline& pipeline, Output& out);

/// Why no rank straggles, in words. REQUIRES: none does.
std::string NobodyBlamed(const Blame& blame);

}  // namespace profgauge
