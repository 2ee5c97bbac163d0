// Samples of hardware counters in Kineto's traces.
//
//   {"ph": "C", "cat": "hardware_counters", "name": COUNTER, "pid": "GPU 0 Counters", "tid": 0,
//    "ts": microseconds, "args": {"": value}}
//
// One event is one counter of one sample; there is one sample per millisecond. Source: kineto,
// CUPTI_PM_SAMPLING_METRICS. Only counters in percent of the peak that have a metric are read; the
// import log names the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "model/profile_builder.h"

namespace profgauge::readers::kineto {

struct Rows;

/// Stands for the counters that are not read beyond the first 64: hostile files name as many as
/// they like.
inline constexpr std::string_view kOtherCounters = "other counters";

/// One sample of a counter.
struct SampleRow {
  std::uint32_t counter = 0;  ///< Index into Rows::counters.
  std::int32_t gpu = -1;
  Ns time = 0;
  double percent = 0;
};

/// True if the counter has a metric.
bool IsReadCounter(std::string_view name);

/// Collects the counters of all chunks of a file, in order.
class SampledCounters {
 public:
  /// Call it before the rows are merged.
  void Take(const Rows& rows);
  /// Reports the metrics, and names the counters that are not read. If a metric has several
  /// counters, the most general is used: the first in the order of kinds, then the shortest name.
  void Finish(ProfileBuilder& builder) const;

 private:
  struct Sample {
    std::int32_t gpu = -1;
    Ns time = 0;
    double percent = 0;
  };
  std::map<std::string, std::vector<Sample>> read_;  ///< By name.
  std::map<std::string, std::uint64_t> unread_;      ///< Samples by name.
  std::map<std::int32_t, Span> worked_;              ///< By GPU: its first start and last end.
};

}  // namespace profgauge::readers::kineto
