// What is said of a run's iterations beside their numbers: which of them were left out or lost, and
// whose they are. Some of it leaves a verdict open (gate/doubts.h).
#pragma once

#include <cstdint>
#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"
#include "analysis/time/run_iterations.h"

namespace profgauge {

/// Whether something in the profile tells iterations apart.
bool IsMarked(const RankContext& rank);

struct LostIterations {
  std::int64_t lost = 0, all = 0;
};
/// Fewer than two, or than a quarter of all: as a profile that stops loses some.
bool AreFew(const LostIterations& of);
/// Iterations that launched nothing, among others that did: of the rank that has most of them. Of
/// the contexts the iterations are looked at.
LostIterations MostWithoutLaunches(std::span<const RankContext> ranks);
/// Iterations that launched work, of which none was recorded: of the rank with most of them.
LostIterations MostLostInside(std::span<const RankContext> ranks);

MarkingProcesses ProcessesOf(const RankContext& rank);

/// Sets profile.ranks_without_work too. Of the contexts rank and iterations are looked at, and, for
/// what the host set up before them, the profile's calls.
void AddIterationRemarks(std::span<const RankContext> ranks, std::span<const IterationFacts> facts,
                         Output& out);

}  // namespace profgauge
