// Tables of operators by their path of modules and functions, from the markers of PyProf and
// DLProf.
#pragma once

#include <span>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::dlprof {

/// Adds op_paths and, unless the one profile states it, op_groups: with DLProf's definitions, over
/// the selected iterations. Nothing for profiles whose markers have no paths.
void AddOpPaths(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::dlprof
