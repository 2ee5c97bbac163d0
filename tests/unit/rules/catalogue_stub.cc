// A few metrics in place of the catalogue, until analysis/ has it.
#include "analysis/analysis.h"

namespace profgauge {
namespace {

constexpr MetricSpec kMetrics[] = {
    {"profile.gpus", "GPUs", Unit::kCount, Direction::kNeutral, "", "", ""},
    {"iteration.time.median", "Median iteration time", Unit::kTime, Direction::kLowerIsBetter, "",
     "", ""},
    {"iteration.time.p95", "95th percentile of iteration time", Unit::kTime,
     Direction::kLowerIsBetter, "", "", ""},
    {"iteration.time.robust_cv", "Iteration variance", Unit::kShare, Direction::kLowerIsBetter, "",
     "", ""},
    {"gpu.utilization.mean", "GPU utilization", Unit::kShare, Direction::kHigherIsBetter, "", "",
     ""},
    {"gpu.idle.mean", "GPU idle time", Unit::kShare, Direction::kLowerIsBetter, "", "", ""},
    {"tensor_core.efficiency", "Tensor Core efficiency", Unit::kShare, Direction::kHigherIsBetter,
     "", "", ""},
    {"tensor_core.eligible_share", "Tensor-Core-eligible share", Unit::kShare, Direction::kNeutral,
     "", "", ""},
    {"memory.peak_allocated", "Peak allocated memory", Unit::kBytes, Direction::kLowerIsBetter, "",
     "", ""},
};

}  // namespace

std::span<const MetricSpec> MetricCatalogue() { return kMetrics; }

const MetricSpec* FindMetric(std::string_view id) {
  for (const MetricSpec& spec : kMetrics) {
    if (spec.id == id) return &spec;
  }
  return nullptr;
}

const Metric* Analysis::Find(std::string_view id) const {
  for (const Metric& metric : metrics) {
    if (metric.spec->id == id) return &metric;
  }
  return nullptr;
}

}  // namespace profgauge
