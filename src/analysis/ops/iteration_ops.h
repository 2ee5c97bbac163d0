// The operators of each iteration: which launched device work, when, and how much.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds `ops_by_iteration`: a row for each selected iteration, rank and operator name that launched
/// device work itself (DLProf Viewer's "Ops in Selected Iteration").
void AddIterationOps(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
