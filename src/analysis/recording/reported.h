// What a recording states itself stands in for what its events cannot give.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Fills metrics that are still absent and tables that still have no rows from Profile::reported,
/// and notes whose numbers they are. Numbers computed from events stay. Of several ranks nothing is
/// taken: their statements cannot be added up. Call it after every other analysis.
void AddReported(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
