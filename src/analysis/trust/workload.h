// The kind of a run: its work decides which advice it needs.
#pragma once

#include <string_view>

#include "model/profile.h"

namespace profgauge::analysis::trust {

/// Derived from names and shapes, so it may be empty. Rules use it only to choose advice.
struct Workload {
  /// "capture", "training", "decode", "prefill", "mixed" (both), "diffusion", "inference" or
  /// "benchmark" (only a few operators); empty without evidence.
  std::string_view kind = {};
  bool in_graphs = false;   ///< Launches of graphs run most kernels.
  bool loads_data = false;  ///< A data loader feeds it.
  /// With a loader: the host function or operator that decodes or resizes images and has the most
  /// time, and the time in all of these, summed over threads. Empty where none was recorded.
  std::string_view image_work = {};
  Ns image_time = 0;
};

/// By names in the profile, the first that holds:
///
///   - capture: at least half of the launches are captured into graphs.
///   - training: backward nodes, an optimizer's step, or operators linked to those of forward; of a
///     profile without operators, kernels of backward and of an optimizer.
///   - decode, prefill, mixed, diffusion: steps that an engine names so. Else two of a serving
///   engine's frames, kernels that fill a key-value cache
///     and kernels of attention for single tokens; then by the kernels of attention.
///   - diffusion: frames of a diffusion library that repeat.
///   - benchmark, inference: operators only of forward, few or many; not where graphs run most
///     kernels, whose operators are not recorded.
///
/// O(rows). Empty for a summary, which keeps no names by row.
Workload WorkloadOf(const Profile& profile);

}  // namespace profgauge::analysis::trust
