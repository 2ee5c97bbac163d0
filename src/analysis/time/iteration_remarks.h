// Remarks on a run's iterations beside their numbers: the skipped and lost ones, and the ranks that
// they belong to. Some of the remarks leave a verdict undecided (gate/doubts.h).
#pragma once

#include <cstdint>
#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"
#include "analysis/time/run_iterations.h"

namespace profgauge {

/// Whether the profile has iteration markers.
bool IsMarked(const RankContext& rank);

/// The number of lost iterations among all of a rank.
struct LostIterations {
  std::int64_t lost = 0, all = 0;
};
/// Fewer than two, or than a quarter of all: as a profile that stops loses some.
bool AreFew(const LostIterations& of);
/// Iterations that launched nothing, among others that did: of the rank that has most of them.
/// Reads only the iterations of the contexts.
LostIterations MostWithoutLaunches(std::span<const RankContext> ranks);
/// Iterations that launched work, of which none was recorded: of the rank with most of them.
LostIterations MostLostInside(std::span<const RankContext> ranks);

/// The processes that mark iterations in the rank's profile.
MarkingProcesses ProcessesOf(const RankContext& rank);

/// Sets profile.ranks_without_work too. Reads rank and iterations of the contexts and, for the
/// host's setup before them, the profile's calls.
void AddIterationRemarks(std::span<const RankContext> ranks, std::span<const IterationFacts> facts,
                         Output& out);

}  // namespace profgauge
