// Makes the snapshot of a run, which baselines store and comparisons read.
#pragma once

#include <span>
#include <string>

#include "analysis/analysis.h"
#include "analysis/breakdown/attribution.h"
#include "gate/snapshot.h"
#include "model/profile.h"

namespace profgauge::gate {

/// Makes a snapshot. `attribution` is AttributeTime() of the profiles and selection of `analysis`.
/// REQUIRES: ranks is not empty.
///
/// The environment has these properties if known: gpu (models joined by ", "), gpus (count),
/// world_size, iterations (their markers), driver, cuda, framework, the profiler's options, and
/// shape_signature. The signature is a hash of the operators that launch GPU work, with their input
/// shapes and launches per iteration.
Snapshot MakeSnapshot(const std::string& name, std::span<const Profile> ranks,
                      const analysis::Analysis& analysis,
                      analysis::breakdown::Attribution attribution);

}  // namespace profgauge::gate
