// An analysis together with the simulation that answers what-if questions.
#pragma once

#include <memory>
#include <span>

#include "analysis/analysis.h"
#include "analysis/simulation/replayer.h"

namespace profgauge::analysis {

/// The analysis and, if the profile has launches, the simulation.
struct Replayable {
  Analysis analysis;
  /// Null if the profile cannot be simulated; critical.host.share then has the reason. It keeps
  /// pointers to the profiles, which must live as long as it is used.
  std::shared_ptr<const simulation::Replayer> replayer;
};

/// Like Analyze(), which returns the same analysis without the replayer.
Result<Replayable> AnalyzeForReplay(std::span<const Profile> ranks, const Selection& selection);

}  // namespace profgauge::analysis
