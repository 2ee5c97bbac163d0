// What the GPU's own counters said, sampled while the program ran (--gpu-metrics-devices).
#include <fmt/format.h>

#include <map>
#include <string>

#include "readers/cuda/sqlite_table.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {
namespace {

struct Counted {
  std::string_view name;  // nsys' name, in percent of the peak; a suffix such as "[Throughput %]"
                          // may follow.
  const char* metric;
};
constexpr Counted kCounted[] = {
    {"Tensor Active", "gpu.measured.tensor_active"},
    {"SMs Active", "gpu.measured.sm_active"},
    {"DRAM Read Bandwidth", "gpu.measured.dram_read"},
    {"DRAM Write Bandwidth", "gpu.measured.dram_write"},
};

const char* MetricOf(std::string_view name) {
  for (const Counted& counted : kCounted) {
    if (name.starts_with(counted.name)) return counted.metric;
  }
  return nullptr;
}

struct Mean {
  double sum = 0;
  std::int64_t samples = 0;
};

}  // namespace

Status ReadGpuMetrics(Import& import) {
  PROFGAUGE_TRY(auto names, TableScan::Open(*import.database, "TARGET_INFO_GPU_METRICS",
                                            {{{"metricId"}}, {{"metricName"}}, {{"typeId"}}}));
  std::map<std::pair<std::int64_t, std::int64_t>, const char*> wanted;
  PROFGAUGE_CHECK(names.ForEach([&] {
    if (const char* metric = MetricOf(names.Text(1))) {
      wanted[{names.Integer(2), names.Integer(0)}] = metric;
    }
  }));
  if (wanted.empty()) return {};
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "GPU_METRICS",
                                           {{{"typeId"}}, {{"metricId"}}, {{"value"}}}));
  std::map<std::string, Mean> means;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    // The sample's type carries the GPU in its low byte; the name's may leave it out.
    const std::int64_t type = scan.Integer(0);
    auto found = wanted.find({type, scan.Integer(1)});
    if (found == wanted.end()) found = wanted.find({type & ~std::int64_t{0xff}, scan.Integer(1)});
    if (found == wanted.end()) return;
    import.builder->log().Add(Counter::events_read);
    Mean& mean = means[found->second];
    mean.sum += scan.Real(2);
    ++mean.samples;
  }));
  for (const auto& [metric, mean] : means) {
    import.builder->reported().metrics.push_back(
        {metric, mean.sum / static_cast<double>(mean.samples) / 100,
         fmt::format("mean of {} samples over the whole capture", mean.samples)});
  }
  return {};
}

}  // namespace profgauge::readers::nsight
