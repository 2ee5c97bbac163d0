// Fills the exposures of the tables whose rows represent device work, calls or operators: the
// maximum savings of changing those rows.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// REQUIRES: the tables are in `out`, and those of device work say which row counts which event
/// (Output::RowsOfDevice).
void AddExposures(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
