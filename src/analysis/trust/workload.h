// The kind of a run's work, which determines suitable advice.
#pragma once

#include <string_view>

#include "model/profile.h"

namespace profgauge::analysis::trust {

/// Derived from names and shapes, so it may be unknown. Rules only use it to choose advice.
struct Workload {
  /// "capture", "training", "decode", "prefill", "mixed" (both), "diffusion", "inference" or
  /// "benchmark" (only a few operators); empty if unknown.
  std::string_view kind = {};
  bool in_graphs = false;   ///< Launches of graphs run most kernels.
  bool loads_data = false;  ///< A data loader feeds it.
  /// With a data loader: the host function or operator for images (decoding, resizing) with most
  /// time, and the total time of all of them over threads. Empty if none was recorded.
  std::string_view image_work = {};
  Ns image_time = 0;
};

/// Determines the kind from names in the profile; the first match is used:
///
///   - capture: at least half of the launches are captured into graphs.
///   - training: backward nodes, an optimizer's step, or operators linked to those of forward;
///     without operators, kernels of backward and of an optimizer.
///   - decode, prefill, mixed, diffusion: steps that an engine names so. Otherwise at least two of
///     frames of a serving engine, kernels that fill a key-value cache, and attention for single
///     tokens; then the attention kernels decide.
///   - diffusion: repeated frames of a diffusion library.
///   - benchmark, inference: only forward operators, few or many; not if graphs run most kernels,
///     whose operators are not recorded.
///
/// O(rows). Empty for a summary, which stores no names by row.
Workload WorkloadOf(const Profile& profile);

}  // namespace profgauge::analysis::trust
