// What is said of a run's iterations beside their numbers: which of them were left out or lost, and
// whose they are. Some of it leaves a verdict open (gate/doubts.h).
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"
#include "analysis/time/run_iterations.h"

namespace profgauge {

/// Whether something in the recording tells iterations apart.
bool IsMarked(const RankContext& rank);

/// Whether at least two iterations, and a quarter of some rank's, launched nothing while others did:
/// the recording has lost their work. Of the contexts the iterations are looked at.
bool LackLaunches(std::span<const RankContext> ranks);

MarkingProcesses ProcessesOf(const RankContext& rank);

/// Sets profile.ranks_without_work too. Of the contexts rank and iterations are looked at, and, for
/// what the host set up before them, the profile's calls.
void AddIterationRemarks(std::span<const RankContext> ranks, std::span<const IterationFacts> facts,
                         Output& out);

}  // namespace profgauge
