// Decides which iterations at the beginning of a run are warm-up.
#pragma once

#include <cstddef>
#include <span>

namespace profgauge::analysis::breakdown {

/// Returns the number of leading iterations that are slower than the rest of the run, by their
/// times; at most half of all. 0 for fewer than four iterations, or if a time is not above 0.
///
/// Warm-up of one or two spreads is not visible in a single iteration, so means are compared: the
/// cut is where the mean before it differs most from the mean after it. This is repeated from each
/// cut on, so that a steep start does not hide a gentle one. Leading iterations count as warm-up
/// only if most are slow and the slowness decays: a stall in the middle is not warm-up.
std::size_t FindWarmup(std::span<const double> times);

}  // namespace profgauge::analysis::breakdown
