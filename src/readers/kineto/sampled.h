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

/// The name under which counters after the first 64 unread ones are counted. Without this limit a
/// hostile file could name any number.
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
  /// Notes the counters of one chunk. Call it before the rows are merged.
  void Take(const Rows& rows);
  /// Reports the metrics, and names the counters that are not read. If several counters measure one
  /// metric, it takes the one whose kind is first in kKinds, then the shortest name.
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
