// How long the GPU was busy with an operator's work, and had nothing to do while it was on it.
#pragma once

#include <vector>

#include "analysis/context/context.h"

namespace profgauge {

/// Per row of HostTable; 0 for ops without device work and for rows that are no ops.
struct OpGpuUse {
  /// Time in which some of the device work runs that the op launched itself, however much of it at
  /// once (DLProf's "GPU Time").
  std::vector<Ns> busy;
  /// From the start of the first to the end of the last of it, less `busy` ("GPU Idle Time").
  std::vector<Ns> idle;
};
OpGpuUse FindOpGpuUse(const RankContext& rank);

}  // namespace profgauge
