// How much faster a late rank must be to arrive at its collectives together with the next to last.
//
// A replay that does not wait for the late rank gives the need: its collectives end as if only the
// others took part. The rank must gain as much time as they end earlier, minus its own recorded
// waiting. All its own work since its previous collective, on host and device, is shortened by one
// factor, so that the order of events stays. Its waiting and its transfers stay the same.
//
//   recorded      rank 0  |====|www###|====|www###|
//                 rank 1  |=======|###|=======|###|     3 late in each call
//   not awaited   rank 0  |====|###|====|###|           they end 3 and 6 earlier
//   keeping up    rank 1  |====|###|====|###|           it gains 3 before each: a factor of 4 / 7
//
// Then the call starts when the next to last rank arrives. Messages that the late rank sends to a
// single other rank are always awaited, because their data are needed. A faster rank sends them
// earlier, so that it can gain more. So this is repeated until nothing changes.
#pragma once

#include <span>
#include <vector>

#include "analysis/simulation/flags.h"
#include "analysis/simulation/graph.h"
#include "analysis/simulation/joint.h"
#include "base/interval.h"

namespace profgauge::analysis::simulation {

/// Time in which the duration of all the rank's own work is multiplied by `factor`.
struct Pace {
  Span time;
  double factor = 1;
  friend bool operator==(const Pace&, const Pace&) = default;
};
/// By rank; the entries of one rank are disjoint and in order.
using RankPaces = std::vector<std::vector<Pace>>;

/// Whether the segment that ends in the step is the rank's own work on a thread or the device.
/// Waiting for the device and collectives are not.
bool IsOwnWork(const PathGraph& graph, PathGraph::StepId step);

/// Returns by how much late ranks must speed up, and when, to keep up. `rows`: by rank and device
/// row, the collectives at which the rank is to arrive with the next to last; empty for other
/// ranks. Ranks that are late for the same call arrive with the last of the other ranks.
RankPaces PacesToKeepUp(const JointReplay& joint, std::span<const PathGraph> graphs,
                        std::span<const Flags> rows);

/// The most time that a rank gains by its paces: no path through its work is shortened by more.
Ns MostGained(std::span<const Pace> paces);

}  // namespace profgauge::analysis::simulation
