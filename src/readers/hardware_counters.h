// Counters of a device's hardware, sampled at a fixed rate while the program ran.
//
//   Nsight Systems   --gpu-metrics-devices        "SMs Active", in percent of the peak
//   Kineto           CUPTI_PM_SAMPLING_METRICS    "sm__cycles_active.avg.pct_of_peak_…", in percent
//
// The mean of the samples is the mean over time. A device is also sampled before and after the
// program uses it, so only samples from the first to the last device work count.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/metric_id.h"
#include "model/profile_builder.h"

namespace profgauge::readers {

/// Sums samples by metric. O(1) per sample.
class HardwareCounters {
 public:
  /// Adds a sample in percent of the peak. `at_work`: between the device's first and last work.
  void Add(MetricId metric, double percent, bool at_work);
  /// Reports the means, as shares of the peak. A metric without a sample at work uses all samples;
  /// the note names the samples used. Memory traffic is the sum of reading and writing if it has no
  /// separate counter.
  void State(ProfileBuilder& builder) const;

 private:
  struct Mean {
    double sum = 0;
    std::int64_t samples = 0;
    void Add(double value) {
      sum += value;
      ++samples;
    }
    double share() const { return sum / static_cast<double>(samples) / 100; }
  };
  struct Means {
    Mean all, at_work;
    const Mean& told() const { return at_work.samples > 0 ? at_work : all; }
  };
  void StateOne(MetricId metric, double share, const Means& of, ProfileBuilder& builder) const;
  const Means* Find(MetricId metric) const;

  std::map<std::string_view, std::pair<MetricId, Means>> means_;  ///< By the text of their ids.
};

}  // namespace profgauge::readers
