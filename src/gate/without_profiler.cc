#include "gate/without_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "analysis/recording/judged_steps.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "gate/unrecorded_limit.h"

namespace profgauge {
namespace {

constexpr std::array kLate = {metric::kGpuIdleCauseHostWait, metric::kGpuIdleCauseLaunchLatency};
constexpr std::array kOtherCauses = {
    metric::kGpuIdleCauseDataloader, metric::kGpuIdleCauseSync, metric::kGpuIdleCauseModuleLoading,
    metric::kGpuIdleCauseMemoryManagement, metric::kGpuIdleCauseOther};

class Replacer {
 public:
  Replacer(Analysis& analysis, bool may_excuse) : analysis_(analysis), may_excuse_(may_excuse) {}

  /// The metric becomes `value`, which may be as good as `best`.
  void Replace(MetricId id, double value, double best) {
    Metric* metric = Find(id);
    if (metric == nullptr) return;
    replaced_.emplace_back(static_cast<std::size_t>(metric - analysis_.metrics.data()), *metric);
    if (may_excuse_) metric->value = value;
    metric->may_be = may_excuse_ ? best : value;
    metric->note += metric->note.empty() ? "without the profiler" : "; without the profiler";
  }

  double ValueOf(MetricId id) {
    const Metric* metric = Find(id);
    return metric == nullptr ? 0 : AsNumber(metric->value, 0);
  }

  ReplacedMetrics Take() { return std::move(replaced_); }

 private:
  Metric* Find(MetricId id) {
    const Metric* metric = analysis_.Find(id);
    if (metric == nullptr || IsAbsent(metric->value)) return nullptr;
    return &analysis_.metrics[static_cast<std::size_t>(metric - analysis_.metrics.data())];
  }

  Analysis& analysis_;
  bool may_excuse_;
  ReplacedMetrics replaced_;
};

// Shares of a recorded iteration, which is `longer` times an unrecorded one, become those of the
// latter: the profiler's addition is removed, from late launches first.
void ReplaceCauses(double longer, Replacer& out) {
  const double added = longer - 1;  // In unrecorded iterations.
  double late = 0, others = 0;
  for (const MetricId id : kLate) late += out.ValueOf(id) * longer;
  for (const MetricId id : kOtherCauses) others += out.ValueOf(id) * longer;
  const double from_late = std::min(late, added);
  const double from_others = std::min(others, added - from_late);
  const auto scale = [&](const auto& ids, double whole, double less) {
    if (whole <= 0) return;
    for (const MetricId id : ids) {
      const double share = out.ValueOf(id) * longer * (whole - less) / whole;
      out.Replace(id, share, share);
    }
  };
  scale(kLate, late, from_late);
  scale(kOtherCauses, others, from_others);
}

}  // namespace

ReplacedMetrics TakeProfilerOff(const Policy& policy, Analysis& analysis) {
  if (policy.unrecorded == Unrecorded::kIgnore || analysis.steps == nullptr) return {};
  const Metric* idle = analysis.Find(metric::kGpuIdleUnrecorded);
  const Metric* used = analysis.Find(metric::kGpuUtilizationUnrecorded);
  const Metric* slowdown = analysis.Find(metric::kStepPerturbation);
  for (const Metric* metric : {idle, used, slowdown}) {
    if (metric == nullptr || IsAbsent(metric->value)) return {};
  }
  Replacer out(analysis, MayExcuse(*analysis.steps));
  const double longer = std::max(1.0, AsNumber(slowdown->value, 1));
  const bool is_one = WithoutProfiler(metric::kGpuIdleMax.text(), analysis).has_value();
  ReplaceCauses(longer, out);
  const auto replace = [&](MetricId id, const Metric& by, bool is_low_better) {
    const double value = AsNumber(by.value, 0);
    out.Replace(id, value, (is_low_better ? by.may_also_be : by.may_be).value_or(value));
  };
  replace(metric::kGpuIdleMean, *idle, true);
  replace(metric::kGpuUtilizationMean, *used, false);
  // Rules know an iteration by its idle time and the share that this is.
  const double length = analysis.steps->level.median;
  const double idle_time = AsNumber(idle->value, 0) * length;
  out.Replace(metric::kGpuIdleTimeMean, idle_time, idle_time);
  if (is_one) {
    replace(metric::kGpuIdleMax, *idle, true);
    replace(metric::kGpuUtilizationMin, *used, false);
  }
  return out.Take();
}

void PutBack(ReplacedMetrics replaced, Analysis& analysis) {
  for (auto& [place, metric] : replaced) analysis.metrics[place] = std::move(metric);
}

}  // namespace profgauge
