// Waits between the threads of a profile, derived from its recorded events.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/simulation/graph.h"
#include "model/profile.h"

namespace profgauge::analysis::simulation {

/// The steps of one thread: [begin, end) of the graph, in order.
struct ThreadSteps {
  PathGraph::StepId begin = 0, end = 0;
  std::uint32_t thread = 0;  ///< Row of the profile's threads.
};

/// The edges between threads of one rank.
struct ThreadLinks {
  /// A step, and the step of another thread that continues because of it.
  std::vector<std::pair<PathGraph::StepId, PathGraph::StepId>> edges;
  /// Threads that launch device work but have no link to another thread (rows of the profile's
  /// threads). A replay leaves them as recorded, whatever changes elsewhere.
  std::vector<std::uint32_t> free;
};

/// Finds threads that hand over work to each other. Two threads do if backward operators of one
/// belong to forward operators of the other. Any other thread that launches work is linked with the
/// thread of the iterations if they take turns: both are busy for less than a twentieth of its busy
/// time. A hand-over is where one thread is silent and the other is not. `threads`: threads of the
/// graph, at most one entry per thread. Both lists are empty without backward operators if only one
/// thread launches. O(steps) for each pair of threads.
ThreadLinks LinkThreads(const PathGraph& graph, const Profile& profile,
                        std::span<const ThreadSteps> threads);

// The steps that the iterations on the host begin and end with.

/// Returns, for one selected iteration, the nearest steps of any thread within its range; markers
/// are preferred. Recorded times of one thread are in order within 2 us, the error of clocks with
/// whole microseconds. `threads`: threads of the graph. O(log n) for each thread; O(n) more if a
/// profile without markers is observed from its first work.
PathGraph::IterationSteps FindIterationSteps(const PathGraph& graph,
                                             std::span<const ThreadSteps> threads,
                                             const iterations::Iteration& iteration);
/// Sets `launches_from` and `launches_to`. O(steps).
void FindLaunches(const PathGraph& graph, std::span<const ThreadSteps> threads, const Span& time,
                  PathGraph::IterationSteps& steps);

}  // namespace profgauge::analysis::simulation
