// Remarks on a run's iterations beside their numbers: the skipped and lost ones, and the ranks that
// they belong to. Some of the remarks leave a verdict undecided (gate/doubts.h).
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
/// Fewer than two, or than a quarter of all: as a profile that stops loses some. More than that
/// leaves the verdict undecided.
bool AreFew(const LostIterations& of);
/// Iterations that launched nothing, among others that did: of the rank that has most of them.
/// Reads only the iterations of the contexts.
LostIterations MostWithoutLaunches(std::span<const iterations::RankContext> ranks);
/// Iterations that launched work, of which none was recorded: of the rank with most of them.
LostIterations MostLostInside(std::span<const iterations::RankContext> ranks);

/// Sets profile.ranks_without_work too. Reads rank and iterations of the contexts and, for the
/// host's setup before them, the profile's calls.
void AddIterationRemarks(std::span<const iterations::RankContext> ranks,
                         std::span<const IterationFacts> facts, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
