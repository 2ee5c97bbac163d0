// What a recording holds that is not of the program's steady work: the backlog that it starts
// with, and graphs that were captured and not run.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Sets coverage.backlog_time and launch.captured_share. Where most of what the host launched was
/// captured and did not run, what is said of the GPU's use and idle time becomes absent: it is no
/// fault of the program that nothing ran.
/// REQUIRES: after what sets gpu.* and adds the table `gaps`.
void AddEdges(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
