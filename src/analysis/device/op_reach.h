// What a device reaches of its data sheet.
#pragma once

#include <span>
#include <string_view>

#include "base/units.h"

namespace profgauge {

/// Part of the memory bandwidth.
double BandwidthReach();
/// Seconds that a kernel takes at least.
double LeastKernelTime(std::string_view gpu_name);

/// One product that was recorded.
struct ReachedShare {
  double share = 0;      ///< Of the peak.
  double call_time = 0;  ///< Seconds.
  bool is_good = false;  ///< Bound by arithmetic, aligned, and with tiles enough.
};
/// Part of the peak that products of one type reach on this device: the best of those that were
/// recorded, where they are enough, else what its maker's devices reach.
double ComputeReach(std::string_view gpu_name, std::span<const ReachedShare> products);

}  // namespace profgauge
