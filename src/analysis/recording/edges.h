// Work in a profile that is not the program's steady work: the backlog that it starts
// with, and graphs that were captured and not run.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// For one rank.
struct EdgeFacts {
  bool has_device = false;
  Ns backlog = 0;             ///< Work from before its first iteration.
  std::int64_t captures = 0;  ///< Graphs that began to be captured.
  std::int64_t captured = 0;  ///< Launching calls within them that ran nothing.
  std::int64_t ran = 0;       ///< Kernels on the device.
};
/// The edges of one rank. `backlog` is 0 for a profile that starts idle.
EdgeFacts EdgeFactsOf(const RankContext& rank);

/// Sets coverage.backlog_time and launch.captured_share. If most of the host's launches were
/// captured and did not run, values about the GPU's use and idle time become absent: it is no
/// fault of the program that nothing ran.
/// REQUIRES: after all that set gpu.* and add the table `gaps`.
void AddEdges(std::span<const RankContext> ranks, Output& out);
/// Only `unobserved` of the contexts is used.
void AddEdges(std::span<const RankContext> ranks, std::span<const EdgeFacts> facts, Output& out);

}  // namespace profgauge
