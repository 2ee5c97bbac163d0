#include "analysis/trust/host_slowdown.h"

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/utilization.h"

namespace profgauge::analysis::trust {

void BoundByProfiler(const JudgedSteps* steps, catalog::Output& out) {
  const double idle = AsNumber(out.ValueOf(metric::kGpuIdleMean), 0);
  const double time = AsNumber(out.ValueOf(metric::kGpuIdleTimeMean), 0);
  const double delay = AsNumber(out.ValueOf(metric::kProfilerDelayTime), 0);
  if (steps != nullptr || idle <= 0 || time <= 0 || delay <= 0 || delay > time) return;
  const double least = (time - delay) / (time / idle - delay);
  if (idle - least < knowledge::kUtilizationLittleIdle) return;
  out.SlowedTo(metric::kGpuIdleMean, least,
               FormatShare(least) + " without the profiler, whose events delay the host");
}

}  // namespace profgauge::analysis::trust
