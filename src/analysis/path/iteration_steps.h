// The steps that the iterations on the host begin and end with.
#pragma once

#include <span>

#include "analysis/path/graph.h"
#include "analysis/path/thread_links.h"

namespace profgauge {

/// For one selected iteration: the nearest steps of any thread within its range, markers preferred.
/// Times of one thread are in order except for the 2 us that clocks of whole microseconds miss.
/// `threads`: of the graph. O(log n) for each thread; O(n) more where a profile without markers
/// is observed from its first work.
PathGraph::IterationSteps FindIterationSteps(const PathGraph& graph,
                                             std::span<const ThreadSteps> threads,
                                             const Iteration& iteration);

}  // namespace profgauge
