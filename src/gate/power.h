// Measures which changes a baseline can detect, by comparing each of its runs with all others.
//
// `profgauge baseline power` prints the result and proposes the policy's `noise_floor`. It judges
// nothing. Runs that fail show that the baseline is noisier than its floor, or mixes programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// The detection power of a baseline, measured from its own runs. Spreads are relative to the
/// typical iteration. An undecided run is over a limit, but not certainly.
struct BaselinePower {
  std::int64_t runs = 0, iterations = 0;  ///< Iterations of the shortest run.
  std::int64_t fails = 0, undecided = 0;  ///< Results of comparing each run with all others.
  double between = 0;                     ///< Standard deviation between runs, relative.
  double spread = 0;                      ///< Robust spread of iterations within a run, relative.
  double correlation = 0;                 ///< Autocorrelation of consecutive iterations.
  double stalls = 0;       ///< Share of the time in iterations far above the typical one.
  double noise_floor = 0;  ///< Proposed value for the policy.
};

/// Measures the runs, and compares each with all others by the limits of `policy` (leave one out).
/// Cost: as many comparisons as runs. REQUIRES: at least three runs with iteration times.
BaselinePower MeasurePower(std::span<const Snapshot> runs, const rules::PolicyBaseline& policy);

/// The relative change that nine of ten comparisons detect in the end, with these iterations per
/// run and baseline runs, at `limit`, with the noise of `power`. Uses the formula of estimate.h for
/// one candidate, with measured spread and autocorrelation. REQUIRES: iterations >= 2, runs >= 1,
/// limit > -1.
double SeenWith(const BaselinePower& power, std::int64_t iterations, std::int64_t runs,
                double limit);

/// The output of `profgauge baseline power`.
std::string PowerText(const BaselinePower& power, double limit);

}  // namespace profgauge::gate
