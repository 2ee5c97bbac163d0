// How much faster a late rank would have to be, to arrive at its collectives with the next to last.
//
// One replay does not wait for it: its collectives end as if the others alone took part. How much
// earlier that is, less what it waited as recorded, the rank has to gain up to there. All that it
// does itself since its collective before, on the host and on the device, is shortened by one
// factor, so that nothing overtakes anything. Its waiting and its transfers stay.
//
//   recorded      rank 0  |====|www###|====|www###|
//                 rank 1  |=======|###|=======|###|     3 late in each call
//   not awaited   rank 0  |====|###|====|###|           they end 3 and 6 earlier
//   keeping up    rank 1  |====|###|====|###|           it gains 3 before each: a factor of 4 / 7
//
// Then the next to last rank decides, whichever that is. What the rank sends to a single other one
// is awaited always: data that it makes are needed. They come earlier with it, which lets it gain
// more; so this is done again, until nothing changes.
#pragma once

#include <span>
#include <vector>

#include "analysis/simulation/flags.h"
#include "analysis/simulation/graph.h"
#include "analysis/simulation/joint.h"
#include "base/interval.h"

namespace profgauge::analysis::simulation {

/// What a rank does itself in `time` takes that part of its time.
struct Pace {
  Span time;
  double factor = 1;
  friend bool operator==(const Pace&, const Pace&) = default;
};
/// By rank; of one disjoint and in order.
using RankPaces = std::vector<std::vector<Pace>>;

/// Whether the segment that ends in the step, of a thread or the end of device work, is work of the
/// rank itself: no waiting for the device, and no collective.
bool IsOwnWork(const PathGraph& graph, PathGraph::StepId step);

/// `rows`: by rank and device row, the collectives that the rank
/// shall arrive at with the next to last; empty for a rank without any. Ranks that are late for the
/// same call arrive with the last of the others.
RankPaces PacesToKeepUp(const JointReplay& joint, std::span<const PathGraph> graphs,
                        std::span<const Flags> rows);

/// The most that a rank gains by its paces: no path through its work is shortened by more.
Ns MostGained(std::span<const Pace> paces);

}  // namespace profgauge::analysis::simulation
