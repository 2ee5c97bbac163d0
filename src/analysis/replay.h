// An analysis with the data for what-if questions: the simulation of the critical path.
#pragma once

#include <memory>
#include <span>

#include "analysis/analysis.h"
#include "analysis/simulation/replayer.h"

namespace profgauge::analysis {

/// The analysis and, if the profile has launches, the simulation.
struct Replayable {
  Analysis analysis;
  /// Null where the profile cannot be replayed; critical.host.share then says why. It keeps
  /// pointers to the profiles, which must live as long as it is used.
  std::shared_ptr<const simulation::Replayer> replayer;
};

/// As Analyze(), which is this without the replayer.
Result<Replayable> AnalyzeForReplay(std::span<const Profile> ranks, const Selection& selection);

}  // namespace profgauge::analysis
