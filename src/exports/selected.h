// The part of a rank that is exported: all of it, or the iterations that the command line selects.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/iterations.h"
#include "model/profile.h"

namespace profgauge::exports {

/// A view of a profile, which must outlive it.
struct SelectedRank {
  /// All of it.
  SelectedRank(const Profile& whole) : profile(&whole) {}  // NOLINT(google-explicit-constructor)

  const Profile* profile;
  std::optional<analysis::iterations::Iterations> iterations;  ///< Nothing: all of it.

  /// Device work counts where it was launched, host work where it starts.
  bool HasWork(std::uint32_t device_row) const {
    return !iterations || iterations->SelectsDevice(device_row);
  }
  bool HasHostTime(Ns at) const { return !iterations || iterations->SelectsHostTime(at); }
};

/// One entry for each rank that the selection keeps, in the order of `ranks`. Iterations are looked
/// for only if the selection chooses some; else ranks are exported whole. Ranks without a recorded
/// number count by position.
/// Errors: kUsage "analysis/no-rank"; as FindIterations.
Result<std::vector<SelectedRank>> SelectRanks(std::span<const Profile> ranks,
                                              const analysis::Selection& selection);

}  // namespace profgauge::exports
