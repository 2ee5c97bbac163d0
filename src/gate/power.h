// The changes that a baseline can find: each run compared with the others, and the effect of more.
//
// `profgauge baseline power` prints it, and proposes the `noise_floor` of the policy. It judges
// nothing. Runs that fail against the others show a baseline that is noisier than its floor, or of
// several programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// The power of the runs of a baseline, from the runs themselves. Spreads are relative to the
/// typical iteration. `undecided` runs are those that do not fail and are over a limit without
/// being certain.
struct BaselinePower {
  std::int64_t runs = 0, iterations = 0;  ///< Iterations of the shortest run.
  std::int64_t fails = 0, undecided = 0;  ///< Runs that were compared with the others.
  double between = 0;                     ///< Standard deviation between runs, relative.
  double spread = 0;                      ///< Spread of iterations within a run, robust, relative.
  double correlation = 0;                 ///< Between an iteration and the next.
  double stalls = 0;       ///< Share of the time that iterations far over the typical one take.
  double noise_floor = 0;  ///< To write into the policy.
};

/// Measures the runs, and compares each with all others by the limits of `policy` (leave one out).
/// Cost: as many comparisons as runs. REQUIRES: three runs with iteration times.
BaselinePower MeasurePower(std::span<const Snapshot> runs, const rules::PolicyBaseline& policy);

/// The change that nine of ten comparisons with this many iterations a run and baseline runs fail
/// in the end at a limit, with the noise of `power`: relative, like `limit`. The formula of
/// estimate.h for one candidate, with the measured spread and autocorrelation in place of a
/// comparison's. REQUIRES: iterations >= 2, runs >= 1, limit > -1.
double SeenWith(const BaselinePower& power, std::int64_t iterations, std::int64_t runs,
                double limit);

/// The printed form of it.
std::string PowerText(const BaselinePower& power, double limit);

}  // namespace profgauge::gate
