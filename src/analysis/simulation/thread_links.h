// Waits between the threads of a profile, from its recorded events.
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
  /// A step, and the step of another thread that lets it go on.
  std::vector<std::pair<PathGraph::StepId, PathGraph::StepId>> edges;
  /// Threads that launch device work and show nothing that they wait for, rows of the profile's
  /// threads: a replay leaves them as they were recorded, whatever changes elsewhere.
  std::vector<std::uint32_t> free;
};

/// Two threads hand over to each other where backward operators of one are recorded with forward
/// operators of the other; and, for a thread that launches work without any such record, where it
/// and the thread of the iterations take turns: they are busy together for less than a twentieth of
/// its busy time. A hand-over is where one has nothing to show and the other has.
/// `threads`: of the graph, at most one entry per thread.
/// Without backward operators and with one launching thread both lists are empty. O(steps) for each
/// pair of threads.
ThreadLinks LinkThreads(const PathGraph& graph, const Profile& profile,
                        std::span<const ThreadSteps> threads);

// The steps that the iterations on the host begin and end with.

/// For one selected iteration: the nearest steps of any thread within its range, markers preferred.
/// Times of one thread are in order except for the 2 us that clocks of whole microseconds miss.
/// `threads`: of the graph. O(log n) for each thread; O(n) more where a profile without markers
/// is observed from its first work.
PathGraph::IterationSteps FindIterationSteps(const PathGraph& graph,
                                             std::span<const ThreadSteps> threads,
                                             const iterations::Iteration& iteration);
/// Sets `launches_from` and `launches_to`. O(steps).
void FindLaunches(const PathGraph& graph, std::span<const ThreadSteps> threads, const Span& time,
                  PathGraph::IterationSteps& steps);

}  // namespace profgauge::analysis::simulation
