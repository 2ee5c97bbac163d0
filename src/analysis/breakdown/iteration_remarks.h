// Remarks on a run's iterations in addition to the metrics: skipped and lost iterations, and their
// ranks. Some remarks leave a verdict undecided (gate/doubts.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/category_times.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis {
struct Analysis;
}  // namespace profgauge::analysis

namespace profgauge::analysis::breakdown {

/// Whether the profile has iteration markers, or anything else that divides it.
bool IsMarked(const iterations::RankContext& rank);

/// The number of lost iterations among all of a rank.
struct LostIterations {
  std::int64_t lost = 0, all = 0;
};
/// True if fewer than two iterations, or less than a quarter of all, are lost: a stopped profile
/// loses a few. A larger loss leaves the verdict undecided.
bool AreFew(const LostIterations& of);
/// The iterations that launched nothing, on the rank with most of them, if other iterations did
/// launch. Reads only the iterations of the contexts.
LostIterations MostWithoutLaunches(std::span<const iterations::RankContext> ranks);
/// Iterations whose launched work was not recorded at all, on the rank with most of them.
LostIterations MostLostInside(std::span<const iterations::RankContext> ranks);

/// Adds the remarks and sets profile.ranks_without_work. Reads only rank and iterations of the
/// contexts, and the profile's calls to find host setup before the iterations.
void AddIterationRemarks(std::span<const iterations::RankContext> ranks,
                         std::span<const IterationFacts> facts, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
