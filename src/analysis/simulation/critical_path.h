// The critical path: the chain of events that determines how long the selected iterations took,
// from their beginning to their end. An event that is not on it could be slower without any effect.
//
// The path follows the binding edges (analysis/simulation/graph.h) back from the end of the last
// selected iteration. Its segments cut [first beginning, last end] into parts that add up exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/simulation/graph.h"
#include "analysis/simulation/scenario_changes.h"
#include "model/path_kind.h"

namespace profgauge::analysis::simulation {

/// One piece of the path: a time, and the reason why the run waited for it.
struct PathSegment {
  Span time;  ///< Never empty.
  PathKind kind = PathKind::kUnknown;
  PathEdge edge = PathEdge::kNone;
  PathGraph::StepId step = PathGraph::kNone;  ///< The step that ends it, or kNone at an edge of the
                                              ///< path.
  PathOwner in;  ///< InnermostAt() of that step, if the step before on its thread binds.
};

/// Whether no event contains the segment. Silent time of a thread is unknown, too, but has a place.
inline bool IsUnexplained(const PathSegment& segment) {
  return segment.step == PathGraph::kNone ||
         (segment.kind == PathKind::kUnknown && segment.edge != PathEdge::kProgram);
}

/// Calls `visit` with the segments of the recorded path, in groups, from the last to the first.
/// Long profiles have millions of segments, so they are never all in memory. `transfers`: by device
/// row, the duration of its collective without waiting, -1 unknown; may be empty. The segments
/// touch, and cover the iterations from the first beginning to the last end.
void VisitCriticalPath(const PathGraph& graph, std::span<const Ns> transfers,
                       const std::function<void(std::span<const PathSegment>)>& visit);

/// The longest segments of a path, in bounded memory.
struct LongestSegments {
  std::vector<PathSegment> kept;  ///< By start.
  std::size_t left_out = 0;       ///< Number of segments that are not in the list.
};
/// Returns the longest segments that VisitCriticalPath() visits, at most `most`. Segments of equal
/// length are all kept or all left out. O(segments + device work) time, O(`most`) memory.
LongestSegments LongestOfPath(const PathGraph& graph, std::span<const Ns> transfers,
                              std::size_t most);

/// Nanoseconds by kind of segment. They add up to the path's length.
using PathSums = std::array<Ns, kPathKinds>;
/// Returns the sums of the critical path in a simulation under `changes`. `times` and `iterations`:
/// the simulated times of all steps, and of the iterations. O(segments + device work).
PathSums SumCriticalPath(const PathGraph& graph, const ScenarioChanges& changes,
                         std::span<const Ns> times, std::span<const Span> iterations,
                         std::span<const Ns> transfers);

/// Returns the sums of the recorded path for each selected iteration, from its start to the next.
/// Waiting for other ranks is part of kTransfer, since other ranks are unknown here. Empty if the
/// graph does not reproduce the number of selected iterations.
std::vector<PathSums> PathSumsByIteration(const PathGraph& graph);

/// Returns the time on the recorded path in which a thread is silent (PathGraph::IsSilent()). It
/// may be waiting for the device; profiles do not show it.
Ns SilentTimeOfPath(const PathGraph& graph, std::span<const Ns> transfers);

/// Returns the innermost host range or call around the segment that ends in `step`. Its `row` is
/// kNone if the segment is between ranges.
PathOwner InnermostAt(const PathGraph& graph, PathGraph::StepId step);

}  // namespace profgauge::analysis::simulation
