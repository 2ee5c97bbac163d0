// The regions between marks, each summed up like the whole: tables `regions` and `engine_regions`.
// Users choose marks, mostly in profiles of Neuron, which have no iterations.
#pragma once

#include <span>
#include <string>

#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/output.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/iterations/context.h"
#include "base/interval.h"

namespace profgauge::analysis::breakdown {

/// A part of a profile, with its first and last mark: names, "start" and "end" at the profile's
/// ends. Regions are in order, adjacent, and never empty.
struct Region {
  std::string from, to;
  Span span;
};

/// Nothing when no marks were chosen. Work counts where it starts, busy time where it is. Marks
/// after the end of a rank's profile divide nothing there. O(regions × device rows): for the few
/// marks that a person names.
void AddRegions(std::span<const iterations::RankContext> ranks, const Selection& selection,
                catalog::Output& out);

/// A row of `engine_regions` or a table like it. REQUIRES: the rank is of Neuron.
void WriteEngineRegion(const iterations::RankContext& rank, const Region& region,
                       catalog::RowWriter<catalog::columns::kEngineRegions>& write);

}  // namespace profgauge::analysis::breakdown
