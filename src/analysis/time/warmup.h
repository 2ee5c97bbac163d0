// Which iterations at the beginning of a run are warm-up.
#pragma once

#include <cstddef>
#include <span>

namespace profgauge::stats {

/// How many leading iterations are slower than the rest of the run, by their times: at most half of
/// them, no fewer than four, and none where a time is not above 0.
///
/// A sum test, since warm-up of one or two spreads shows in no single iteration: the leading values
/// are cut where their mean differs most from the mean of those that follow.
std::size_t FindWarmup(std::span<const double> times);

}  // namespace profgauge::stats
