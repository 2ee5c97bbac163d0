// How busy one GPU was in the window. A plain struct: utilization.cc measures it for the contexts;
// idle time by cause is in breakdown/idle.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/interval.h"

namespace profgauge::analysis::iterations {

/// Times are in ns, within the rank's window of the selected iterations.
///
///   window       [0, 30), of which [10, 14) is unobserved        window 30, observed 26
///   kernels      [2, 8) and [5, 9) on two streams, [16, 22)      kernel_busy 13: utilization 13/30
///   copies       [8, 10) and [24, 26)                            busy 16: idle_share 10/26
struct GpuUse {
  std::int32_t gpu = -1;
  Ns window = 0;       ///< Without graph captures, during which no work can run.
  Ns observed = 0;     ///< The window without its unobserved parts.
  Ns kernel_busy = 0;  ///< Union of its kernels in the window.
  Ns busy = 0;         ///< Union of kernels, copies and memsets in the window.
  /// The one-off part of the idle time (iterations/observed.h). `idle_most_in`: position of the
  /// selected iteration with most of it, -1 for none. `idle_once_in`: iterations with any.
  Ns idle_once = 0;
  std::int64_t idle_most_in = -1, idle_once_in = 0;
  /// The part of `busy` in which only graphs run that were recorded as one event.
  Ns whole_graphs = 0;
  /// Blocks per SM, summed over the concurrent kernels and capped at 1, averaged over the
  /// window; idle time counts as 0 (TensorBoard plug-in). Absent without blocks per SM.
  std::optional<double> sm_efficiency;
  /// Estimated achieved occupancy, 0..1, weighted by kernel time in the window.
  std::optional<double> occupancy;

  double utilization() const { return Share(kernel_busy, window); }
  double idle_share() const { return Share(observed - busy, observed); }
  /// The idle share without one-off idle time.
  double usual_idle_share() const {
    return Share(observed - busy - idle_once, observed - idle_once);
  }
  double usual_utilization() const { return Share(kernel_busy, window - idle_once); }

 private:
  static double Share(Ns part, Ns whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  }
};

}  // namespace profgauge::analysis::iterations
