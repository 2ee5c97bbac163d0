// The critical path: the chain of events that the selected iterations waited for, from their
// beginning to their end. Work that is not on it could have been slower without anybody noticing.
//
// It follows the binding edges (analysis/simulation/graph.h) back from the end of the last selected
// iteration. Its segments cut [first beginning, last end] into parts that add up exactly.
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
  PathGraph::StepId step = PathGraph::kNone;  ///< That it ends in; kNone at the edges of the path.
  PathOwner in;  ///< InnermostAt() that step, where the edge is of its thread's program.
};

/// Calls `visit` with the segments of the recorded path, in groups, from the last to the first.
/// Long profiles have millions of segments, so they are never all in memory. `transfers`: per
/// device row how long the collective takes without waiting, -1 unknown; may be empty. The segments
/// touch, and cover the iterations from first beginning to last end.
void VisitCriticalPath(const PathGraph& graph, std::span<const Ns> transfers,
                       const std::function<void(std::span<const PathSegment>)>& visit);

/// The longest segments of a path, in bounded memory.
struct LongestSegments {
  std::vector<PathSegment> kept;  ///< By start.
  std::size_t left_out = 0;       ///< Number of segments that are not in the list.
};
/// The longest segments that VisitCriticalPath() visits, `most` at most; of those of one length all
/// or none.
/// O(segments + device work) time, O(`most`) memory.
LongestSegments LongestOfPath(const PathGraph& graph, std::span<const Ns> transfers,
                              std::size_t most);

/// Nanoseconds by kind. Adds up to the path's length.
using PathSums = std::array<Ns, kPathKinds>;
/// The sums of the path in a replay that gave `times` under `changes`.
/// `iterations`: those of the replay.
/// `times` are of all steps. O(segments + device work).
PathSums SumCriticalPath(const PathGraph& graph, const ScenarioChanges& changes,
                         std::span<const Ns> times, std::span<const Span> iterations,
                         std::span<const Ns> transfers);

/// The same of the recorded path, by selected iteration: from its start to that of the next. Empty
/// where the path has other iterations.
/// One entry for each selected iteration; waiting is in kTransfer, since other ranks are unknown.
std::vector<PathSums> PathSumsByIteration(const PathGraph& graph);

/// Time of the recorded path in which a thread is in no operator or call, in periods of
/// spin.least or more through which the device works: it may be waiting for that, and no profile
/// shows it.
Ns SilentTimeOfPath(const PathGraph& graph, std::span<const Ns> transfers);

/// The innermost host range or call, by its table, around the segment that ends in `step`. `row` is
/// kNone between ranges.
PathOwner InnermostAt(const PathGraph& graph, PathGraph::StepId step);

}  // namespace profgauge::analysis::simulation
