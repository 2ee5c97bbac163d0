// How long the GPU was busy with an operator's work, and had nothing to do while it was on it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/context/context.h"

namespace profgauge {

/// ns of one call. Both are 0 for an operator that launches nothing.
struct GpuUseOfOp {
  /// Time in which at least one device event runs that the op launched itself (DLProf's "GPU
  /// Time").
  Ns busy = 0;
  /// From the start of the first to the end of the last of it, less `busy` ("GPU Idle Time").
  Ns idle = 0;
};

/// For all ops. Most rows of a HostTable launch nothing: those that do are listed.
struct OpGpuUse {
  std::vector<std::uint32_t> place;  ///< Per row of HostTable: in `uses`.
  std::vector<GpuUseOfOp> uses;      ///< The first is of ops without device work.

  const GpuUseOfOp& Of(std::uint32_t row) const { return uses[place[row]]; }
};
/// The use of all operators of a rank. O(n log n) over its device rows.
OpGpuUse FindOpGpuUse(const RankContext& rank);

}  // namespace profgauge
