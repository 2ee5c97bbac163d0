// What a profile holds that is not of the program's steady work: the backlog that it starts
// with, and graphs that were captured and not run.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Of one rank.
struct EdgeFacts {
  bool has_device = false;
  Ns backlog = 0;             ///< Of work from before its first iteration.
  std::int64_t captures = 0;  ///< Graphs that began to be captured.
  std::int64_t captured = 0;  ///< Launching calls within them that ran nothing.
  std::int64_t ran = 0;       ///< Kernels on the device.
};
EdgeFacts EdgeFactsOf(const RankContext& rank);

/// Sets coverage.backlog_time and launch.captured_share. Where most of what the host launched was
/// captured and did not run, what is said of the GPU's use and idle time becomes absent: it is no
/// fault of the program that nothing ran.
/// REQUIRES: after what sets gpu.* and adds the table `gaps`.
void AddEdges(std::span<const RankContext> ranks, Output& out);
/// Of the contexts only `unobserved` is looked at.
void AddEdges(std::span<const RankContext> ranks, std::span<const EdgeFacts> facts, Output& out);

}  // namespace profgauge
