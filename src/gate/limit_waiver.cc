#include "gate/limit_waiver.h"

#include <algorithm>
#include <cmath>

#include "rules/waiver.h"

namespace profgauge {
namespace {

/// Whether the value is still within the waiver's bound.
bool IsWithinWaiver(const Threshold& threshold, const Waiver& waiver, double value) {
  if (!waiver.up_to) return false;
  return (threshold.max && value > *threshold.max && value <= *waiver.up_to) ||
         (threshold.min && value < *threshold.min && value >= *waiver.up_to);
}

/// The largest change that a limit saw, relative.
double LargestChange(const MetricComparison& metric) {
  const bool is_relative = metric.method == CompareMethod::kStatistics;
  const double change = is_relative        ? metric.shift
                        : metric.base != 0 ? metric.change / std::abs(metric.base)
                                           : 0;
  return std::max(std::abs(change), metric.total.value_or(0));
}

}  // namespace

void WaiveLimit(const Policy& policy, std::chrono::sys_days today, GateResult& result,
                Verdict& verdict) {
  const bool is_missed = result.status == GateStatus::kError || result.status == GateStatus::kWarn;
  if (!is_missed) return;
  for (const Waiver& waiver : policy.waivers) {
    if (waiver.threshold != result.threshold.metric || HasExpired(waiver, today)) continue;
    if (!IsWithinWaiver(result.threshold, waiver, AsNumber(result.measured, 0))) continue;
    result.status = GateStatus::kWaived;
    verdict.notes.push_back("waived: " + WaiverText(waiver, today));
    return;
  }
}

bool IsWaivedChange(const MetricComparison& metric, const Policy& policy,
                    std::chrono::sys_days today, Verdict& verdict) {
  const bool is_missed =
      !metric.is_missing && (metric.verdict == stats::Change::kFail || metric.over_limit);
  if (!is_missed) return false;
  for (const Waiver& waiver : policy.waivers) {
    if (waiver.limit != metric.metric || HasExpired(waiver, today)) continue;
    if (!waiver.up_to || LargestChange(metric) > *waiver.up_to) continue;
    ++verdict.waived_limits;
    verdict.notes.push_back("waived: " + WaiverText(waiver, today));
    return true;
  }
  return false;
}

}  // namespace profgauge
