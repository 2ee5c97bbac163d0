// The XLA compiler's data about each HLO op of a TPU: FLOPs and bytes of one execution. Summed up
// over the executions they place every op on the roofline.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <string_view>

#include "model/profile_builder.h"

namespace profgauge::readers::xla {

/// Adds up the ops of a plane.
class OpSums {
 public:
  /// Peak rates by the device's plane; 0 unknown.
  void SetPeaks(double flops, double bandwidth);
  /// The device executes something from `start` to `end`.
  void Extend(std::int32_t device, Ns start, Ns end);
  /// One execution of an op that has no other inside of it: those of its body count. Negative
  /// numbers are unknown.
  void Add(StringId name, Ns duration, double flops, double bytes);
  /// Roofline, achieved FLOP/s and share of the peak, as the file states them. Nothing when no op
  /// has FLOPs.
  void Report(ProfileBuilder& builder) const;

 private:
  struct Sum {
    std::int64_t calls = 0;
    Ns time = 0;
    double flops = 0, bytes = 0;
    bool knows_bytes = true;
  };
  struct Extent {
    Ns first = 0, last = 0;
  };
  boost::unordered_flat_map<std::uint32_t, Sum> ops_;  ///< By the id of the name.
  std::map<std::int32_t, Extent> devices_;
  double peak_flops_ = 0, peak_bandwidth_ = 0;
};

}  // namespace profgauge::readers::xla
