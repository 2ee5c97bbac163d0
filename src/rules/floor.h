// Computes a plan's floor, a lower bound of the iteration time.
//
//     recorded    |= gemm =|  wait  |== attention ==|~~~ all_reduce ~~~|= adam =|
//     floor       |gemm|attention|~ all_reduce ~|= adam =|
//
// Kernels run at their roofline (Williams, Waterman & Patterson 2009), nothing waits for the host
// or ranks, collectives have the best observed bandwidth. `adam`, of unknown work, keeps its time.
#pragma once

#include <optional>
#include <string>

#include "analysis/analysis.h"
#include "analysis/simulation/replayer.h"

namespace profgauge::rules {

/// A lower bound of the iteration time: the device never waits for the host, every kernel runs at
/// its operator's roofline, no rank waits for another, and collectives reach the best bandwidth of
/// their kind in this run. Kernels whose work is unknown take their recorded time.
struct Floor {
  double time = 0;       ///< ns per iteration.
  double reachable = 0;  ///< With the rates that this device reaches, not those of its data sheet.
  /// Share of the time of computing kernels whose work is known; absent if nothing is simulated.
  std::optional<double> counted;
  double share = 0;            ///< Of the time at the start of the plan.
  std::string absent_because;  ///< Why there is no bound; else empty.
};

/// Computes the floor. `steps` are all changes of the plan, which change the iteration time from
/// `start` to `end`. The floor is at most `end`. REQUIRES: replayer.can_replay().
Floor FindFloor(const analysis::simulation::Replayer& replayer, const analysis::Analysis& analysis,
                const analysis::simulation::Scenario& steps, double start, double end);

}  // namespace profgauge::rules
