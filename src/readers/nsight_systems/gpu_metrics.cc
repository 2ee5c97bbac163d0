// Reads hardware counters of the GPU, sampled while the program ran (--gpu-metrics-devices).
#include "readers/nsight_systems/gpu_metrics.h"

#include <map>
#include <string>

#include "base/metric_id.h"
#include "readers/database/sqlite_table.h"
#include "readers/hardware_counters.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {
namespace {

struct Counted {
  std::string_view name;  // The counter's name in nsys, in percent of the peak. A suffix such as
                          // "[Throughput %]" may follow it.
  MetricId metric;
};
constexpr Counted kCounted[] = {
    {"Tensor Active", metric::kGpuMeasuredTensorActive},
    {"SMs Active", metric::kGpuMeasuredSmActive},
    {"DRAM Read Bandwidth", metric::kGpuMeasuredDramRead},
    {"DRAM Write Bandwidth", metric::kGpuMeasuredDramWrite},
};

std::optional<MetricId> MetricOf(std::string_view name) {
  for (const Counted& counted : kCounted) {
    if (name.starts_with(counted.name)) return counted.metric;
  }
  return std::nullopt;
}

}  // namespace

// Reads samples, which name their counter by type and id. nsys samples at a fixed rate, so the mean
// of the samples is the mean over time.
Status ReadGpuMetrics(Import& import) {
  PROFGAUGE_TRY(auto names, TableScan::Open(import.tables, "TARGET_INFO_GPU_METRICS",
                                            {{{"metricId"}}, {{"metricName"}}, {{"typeId"}}}));
  std::map<std::pair<std::int64_t, std::int64_t>, MetricId> wanted;
  PROFGAUGE_CHECK(names.ForEach([&] {
    if (const std::optional<MetricId> metric = MetricOf(names.Text(1))) {
      wanted.insert_or_assign({names.Integer(2), names.Integer(0)}, *metric);
    }
  }));
  if (wanted.empty()) return {};
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(import.tables, "GPU_METRICS",
                                {{{"typeId"}}, {{"metricId"}}, {{"value"}}, {{"timestamp"}}}));
  HardwareCounters counters;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    // The low byte of a sample's type is the GPU; the table of names may omit this byte.
    constexpr std::int64_t kGpu = 0xff;
    const std::int64_t type = scan.Integer(0);
    auto found = wanted.find({type, scan.Integer(1)});
    if (found == wanted.end()) found = wanted.find({type & ~kGpu, scan.Integer(1)});
    if (found == wanted.end()) return;
    import.builder->log().Add(Counter::events_read);
    const MetricId metric = found->second;
    const auto worked = import.worked.find(static_cast<std::int32_t>(type & kGpu));
    const bool is_placed = worked != import.worked.end() && scan.IsSet(3);
    const Ns at = is_placed ? scan.Integer(3) : 0;
    counters.Add(metric, scan.Real(2),
                 is_placed && at >= worked->second.start && at <= worked->second.end);
  }));
  counters.State(*import.builder);
  return {};
}

}  // namespace profgauge::readers::nsight
