// Tables of operators by their path of modules and functions, from markers of PyProf and DLProf.
#pragma once

#include <span>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::dlprof {

/// Adds op_paths and op_groups with DLProf's definitions, over the selected iterations. A single
/// profile's own op_groups are kept. Does nothing for markers without paths.
void AddOpPaths(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::dlprof
