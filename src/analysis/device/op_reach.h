// The part of its data sheet that a device reaches.
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
  double share = 0;      ///< Share of the peak.
  double call_time = 0;  ///< Seconds.
  bool is_good = false;  ///< Bound by arithmetic, aligned, and with tiles enough.
};
/// Part of the peak that matmuls of one type reach on this device: the best of the
/// recorded ones, if there are enough, else the usual part of its maker's devices.
double ComputeReach(std::string_view gpu_name, std::span<const ReachedShare> products);

}  // namespace profgauge
