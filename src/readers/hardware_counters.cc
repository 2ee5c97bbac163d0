#include "readers/hardware_counters.h"

#include <fmt/format.h>

namespace profgauge::readers {

void HardwareCounters::Add(MetricId metric, double percent, bool at_work) {
  Means& means = means_.try_emplace(metric.text(), metric, Means{}).first->second.second;
  means.all.Add(percent);
  if (at_work) means.at_work.Add(percent);
}

const HardwareCounters::Means* HardwareCounters::Find(MetricId metric) const {
  const auto found = means_.find(metric.text());
  return found == means_.end() ? nullptr : &found->second.second;
}

void HardwareCounters::StateOne(MetricId metric, double share, const Means& of,
                                ProfileBuilder& builder) const {
  builder.reported().metrics.push_back(
      {metric, share,
       fmt::format("mean of {} samples {}", of.told().samples,
                   of.at_work.samples > 0
                       ? "from the first to the last recorded work of each GPU that has any"
                       : "over the whole capture")});
}

void HardwareCounters::State(ProfileBuilder& builder) const {
  for (const auto& [text, entry] : means_) {
    StateOne(entry.first, entry.second.told().share(), entry.second, builder);
  }
  const Means* read = Find(metric::kGpuMeasuredDramRead);
  const Means* write = Find(metric::kGpuMeasuredDramWrite);
  if (read == nullptr || write == nullptr || Find(metric::kGpuMeasuredDram) != nullptr) return;
  StateOne(metric::kGpuMeasuredDram, read->told().share() + write->told().share(), *read, builder);
}

}  // namespace profgauge::readers
