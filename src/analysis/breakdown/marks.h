// The regions between marks, each summarized like the whole profile: tables `regions` and
// `engine_regions`. Users set marks, mostly in Neuron profiles, which have no iterations.
#pragma once

#include <span>
#include <string>

#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/output.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/iterations/context.h"
#include "base/interval.h"

namespace profgauge::analysis::breakdown {

/// A part of a profile, with the names of its first and last mark, "start" and "end" at the
/// profile's ends. Regions are in order, adjacent, and never empty.
struct Region {
  std::string from, to;
  Span span;
};

/// Adds the table of regions; nothing without marks. Work counts in the region in which it starts;
/// busy time is clipped. Marks after the end of a rank's profile are ignored there. O(regions ×
/// device rows), for a few marks.
void AddRegions(std::span<const iterations::RankContext> ranks, const Selection& selection,
                catalog::Output& out);

/// Writes a row of `engine_regions` or a similar table. REQUIRES: the rank is of Neuron.
void WriteEngineRegion(const iterations::RankContext& rank, const Region& region,
                       catalog::RowWriter<catalog::columns::kEngineRegions>& write);

}  // namespace profgauge::analysis::breakdown
