// The operators of each iteration: which ran, when, and how much device work they launched.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds `ops_by_iteration`: a row for each selected iteration, rank and operator name that ran in
/// it, whether it launched device work or not (DLProf Viewer's "Ops in Selected Iteration").
void AddIterationOps(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
