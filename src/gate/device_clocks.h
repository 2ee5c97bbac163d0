// Runs whose devices ran at other clocks than the baseline's: how much of a change clocks explain,
// and the consequences for a verdict.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "gate/compare.h"
#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge {

/// The clocks of both sides while the device worked.
struct ClockChange {
  double base = 0, current = 0;  ///< MHz; medians over the runs.
  /// The least and the largest change of an iteration that the clocks explain, as a part of it:
  /// compute-bound kernels follow the clock of the cores, memory-bound ones that of the memory,
  /// others either; idle time stays, or takes up the device's loss.
  double low = 0, high = 0;
  double power_capped = 0, throttled = 0;  ///< Shares of the candidate's time.
};

/// Nothing where either side does not know its clocks, or they differ by 3 % or less.
std::optional<ClockChange> FindClockChange(std::span<const Snapshot> baselines,
                                           std::span<const Snapshot> candidates);

/// "the GPU ran at 1200 instead of 1980 MHz (at its power limit for 63 % of the time), which
/// explains +14.0 % to +31.0 %"
std::string ClockText(const ClockChange& clocks);

/// States in `comparison` the explained part of each typical time. Where all of a change beyond its
/// limit may be the clocks', or a faster clock may hide one, that limit is undecided
/// ("baseline/other-clocks"), unless `allow_incomparable`; a change over the largest explanation by
/// more than the limit fails as before.
void JudgeClocks(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                 const PolicyBaseline& policy, bool allow_incomparable, RunComparison& comparison);

}  // namespace profgauge
