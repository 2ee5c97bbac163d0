// Makes the snapshot of a run: the content of a baseline, compared by compare.
#pragma once

#include <span>
#include <string>

#include "analysis/analysis.h"
#include "analysis/breakdown/attribution.h"
#include "gate/snapshot.h"
#include "model/profile.h"

namespace profgauge::gate {

/// `attribution` is AttributeTime() of the same profiles and selection as `analysis`.
/// REQUIRES: ranks is not empty.
///
/// The environment holds, where known: gpu (model; several are joined by ", "), gpus (count),
/// world_size, iterations (their markers), driver, cuda, framework, the profiler's
/// options, and shape_signature: a hash over the op names and input shapes of the ops that launch
/// GPU work, each with its launches per iteration.
Snapshot MakeSnapshot(const std::string& name, std::span<const Profile> ranks,
                      const analysis::Analysis& analysis,
                      analysis::breakdown::Attribution attribution);

}  // namespace profgauge::gate
