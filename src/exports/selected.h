// The part of a rank that is exported: the whole rank, or the iterations that the user selects.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/iterations.h"
#include "model/profile.h"

namespace profgauge::exports {

/// A rank's selected part. It is a view of a profile, which must outlive it.
struct SelectedRank {
  /// Selects the whole profile.
  SelectedRank(const Profile& whole) : profile(&whole) {}  // NOLINT(google-explicit-constructor)

  const Profile* profile;
  std::optional<analysis::iterations::Iterations> iterations;  ///< nullopt: the whole profile.

  /// Device work belongs to the iteration that launched it, host work to that in which it starts.
  bool HasWork(std::uint32_t device_row) const {
    return !iterations || iterations->SelectsDevice(device_row);
  }
  bool HasHostTime(Ns at) const { return !iterations || iterations->SelectsHostTime(at); }
};

/// One entry for each rank that the selection keeps, in the order of `ranks`. If the selection
/// chooses no iterations, ranks are exported whole and not searched for iterations. A rank without
/// a recorded number has its position as its number. Errors: kUsage "analysis/no-rank"; those of
/// FindIterations().
Result<std::vector<SelectedRank>> SelectRanks(std::span<const Profile> ranks,
                                              const analysis::Selection& selection);

}  // namespace profgauge::exports
