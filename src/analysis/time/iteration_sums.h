// Metrics that are sums over iterations, iteration by iteration. They let the gate compute how
// chance distributes slow iterations.
#pragma once

#include <vector>

#include "analysis/context/context.h"
#include "analysis/time/work_sums.h"

namespace profgauge {

/// By metric id: the time of kernels, and of copies by direction. Where nothing divides the
/// profile there is none.
std::vector<NameWork> IterationSumsOf(const RankContext& rank);

}  // namespace profgauge
