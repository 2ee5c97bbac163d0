// Decides which iterations at the beginning of a run are warm-up.
#pragma once

#include <cstddef>
#include <span>

namespace profgauge::analysis::breakdown {

/// How many leading iterations are slower than the rest of the run, by their times: at most half of
/// them. 0 for fewer than four iterations, and where a time is not above 0.
///
/// A sum test, since warm-up of one or two spreads shows in no single iteration: the leading values
/// are cut where their mean differs most from the mean of those that follow. The test is repeated
/// from each cut on, so that a steep start does not hide a gentle one. A start is slow throughout
/// and decays: a stall in the middle is none.
std::size_t FindWarmup(std::span<const double> times);

}  // namespace profgauge::analysis::breakdown
