// The regions between marks, each summed up like the whole: tables `regions` and `engine_regions`.
#pragma once

#include <span>

#include "analysis/context.h"
#include "analysis/output.h"

namespace profgauge {

/// Nothing when no marks were chosen. Work counts where it starts, busy time where it is.
void AddRegions(std::span<const RankContext> ranks, const Selection& selection, Output& out);

}  // namespace profgauge
