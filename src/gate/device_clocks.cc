#include "gate/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "gate/change_text.h"
#include "gate/compare_series.h"
#include "knowledge/gate.h"
#include "knowledge/unrecorded.h"

namespace profgauge::gate {
namespace {

std::optional<double> MedianOver(std::span<const Snapshot> runs, MetricId id) {
  std::vector<double> values;
  for (const Snapshot& run : runs) {
    const auto found = run.metrics.find(id.text());
    if (found != run.metrics.end()) values.push_back(found->second);
  }
  return values.empty() ? std::nullopt : std::optional(Median(std::move(values)));
}

/// The first of both that the runs have.
double ShareOver(std::span<const Snapshot> runs, MetricId first, MetricId second,
                 double otherwise) {
  const auto value = MedianOver(runs, first);
  return value ? *value : MedianOver(runs, second).value_or(otherwise);
}

/// How much longer busy time is, as a part of an iteration: kernels by their bottleneck.
/// Bounds, since kernels of unknown bottleneck follow either clock, or none:
///
///     kernels 80 %: compute-bound 50 %, memory-bound 30 %, others 20 %; core clock a quarter lower
///     known   0.5 * 1.33 + 0.3 * 1 = 0.97
///     low     0.8 * (0.97 + 0.2 * 1    - 1) = +13 %      others do not follow
///     high    0.8 * (0.97 + 0.2 * 1.33 - 1) = +19 %      others follow the core
struct BusyChange {
  double low = 0, high = 0;
};

BusyChange BusyChangeOf(std::span<const Snapshot> baselines, double slower, double memory_slower) {
  const double kernels =
      ShareOver(baselines, metric::kGpuUtilizationUnrecorded, metric::kGpuUtilizationMean, 1);
  const double compute = MedianOver(baselines, metric::kConditionsComputeBound).value_or(0);
  const double memory = MedianOver(baselines, metric::kConditionsMemoryBound).value_or(0);
  const double others = std::max(0.0, 1 - compute - memory);
  const double known = compute * slower + memory * memory_slower;
  const auto [least, most] = std::minmax({1.0, slower, memory_slower});
  return {kernels * (known + others * least - 1), kernels * (known + others * most - 1)};
}

/// Longer work first takes up idle time where the host is the limit; shorter work becomes idle.
ClockChange Explained(std::span<const Snapshot> baselines, double slower, double memory_slower) {
  const double idle = ShareOver(baselines, metric::kGpuIdleUnrecorded, metric::kGpuIdleMean, 1);
  const BusyChange busy = BusyChangeOf(baselines, slower, memory_slower);
  ClockChange change;
  change.low = busy.low < 0 ? busy.low : std::max(0.0, busy.low - idle);
  change.high = std::max(0.0, busy.high);
  return change;
}

/// Relative; the default limit where the policy has none on an increase of the metric.
double LimitOfMetric(const rules::PolicyBaseline& policy, const MetricComparison& metric) {
  for (const rules::BaselineLimit& limit : policy.limits) {
    if (limit.metric != metric.metric || !limit.max_increase) continue;
    const double value = limit.max_increase->value;
    if (limit.max_increase->relative) return value;
    return metric.base > 0 ? value / metric.base : value;
  }
  return knowledge::kGateDefaultLimit.value();
}

/// Whether the part that clocks do not explain is over the limit by either bound.
bool IsOverWithout(double explained, const MetricComparison& metric, double limit) {
  const bool is_total_over =
      metric.total && metric.total_limit && *metric.total - explained > *metric.total_limit;
  return metric.shift - explained > limit || is_total_over;
}

/// Whether the device surely is slower or faster by its clock.
bool ExplainsSurely(const ClockChange& clocks) { return clocks.low > 0 || clocks.high < 0; }

/// "64 to 100 % of the change"
std::string ShareOfChange(const ClockChange& clocks, double shift) {
  const auto part = [shift](double explained) { return std::clamp(explained / shift, 0.0, 1.0); };
  const auto [least, most] = std::minmax({part(clocks.low), part(clocks.high)});
  if (!ExplainsSurely(clocks)) return fmt::format("up to {:.0f} % of the change", 100 * most);
  return fmt::format("{:.0f} to {:.0f} % of the change", 100 * least, 100 * most);
}

/// With a clock that explains +10 % to +20 %, limit 5 %:
///
///     shift    without +20 %    without +10 %
///     +18 %        -2 %             +8 %        may be all the clock's: undecided
///     +30 %       +10 %            +20 %        fails as before
///      +3 %                                     passes: slower clocks do not hide a fault
///
/// A faster clock (-20 % to -10 %) hides one: +3 % would be +23 % without it, undecided.
void JudgeTime(const ClockChange& clocks, double limit, bool decides, MetricComparison& metric) {
  const bool is_beyond = metric.verdict == stats::Change::kFail || metric.over_limit;
  const bool is_excused = is_beyond && !IsOverWithout(clocks.high, metric, limit);
  const bool is_hidden = !is_beyond && clocks.low < 0 && IsOverWithout(clocks.low, metric, limit);
  const bool is_same_way = (metric.shift > 0) == (clocks.current < clocks.base);
  const std::string text = ClockText(clocks);
  if (is_same_way && std::abs(metric.shift) > limit) {
    const std::string_view because = !ExplainsSurely(clocks) ? "; "
                                     : metric.shift > 0      ? "; slower because "
                                                             : "; faster because ";
    metric.reason += fmt::format("{}{}: {}", because, text, ShareOfChange(clocks, metric.shift));
  } else {
    metric.reason += "; " + text;
  }
  if (!decides || !(is_excused || is_hidden)) return;
  metric.verdict = stats::Change::kInconclusive;
  metric.over_limit = true;
  metric.reason += "; compare runs at the same clock [baseline/other-clocks]";
}

}  // namespace

std::optional<ClockChange> FindClockChange(std::span<const Snapshot> baselines,
                                           std::span<const Snapshot> candidates) {
  const auto base = MedianOver(baselines, metric::kConditionsClock),
             current = MedianOver(candidates, metric::kConditionsClock);
  if (!base || !current || *base <= 0 || *current <= 0) return std::nullopt;
  if (std::abs(*current / *base - 1) <= knowledge::kGateClocksDiffer.value()) return std::nullopt;
  const auto memory_base = MedianOver(baselines, metric::kConditionsMemoryClock),
             memory_current = MedianOver(candidates, metric::kConditionsMemoryClock);
  const bool knows_memory =
      memory_base && memory_current && *memory_base > 0 && *memory_current > 0;
  ClockChange change =
      Explained(baselines, *base / *current, knows_memory ? *memory_base / *memory_current : 1);
  change.base = *base;
  change.current = *current;
  change.power_capped = MedianOver(candidates, metric::kConditionsPowerCapped).value_or(0);
  change.throttled = MedianOver(candidates, metric::kConditionsThrottled).value_or(0);
  return change;
}

std::string ClockText(const ClockChange& clocks) {
  std::string why;
  if (clocks.throttled > knowledge::kUnrecordedThrottledShare) {
    why = fmt::format(" (throttled for {} of the time)", FormatShare(clocks.throttled));
  } else if (clocks.power_capped > knowledge::kUnrecordedThrottledShare) {
    why = fmt::format(" (at its power limit for {} of the time)", FormatShare(clocks.power_capped));
  }
  const std::string low = RelativeChange(clocks.low), high = RelativeChange(clocks.high);
  const bool is_one_sided = clocks.low >= 0 || clocks.high <= 0;
  const std::string change = !ExplainsSurely(clocks) && is_one_sided
                                 ? "up to " + (clocks.low < 0 ? low : high)
                             : low == high ? low
                                           : low + " to " + high;
  return fmt::format("the GPU ran at {:.0f} instead of {:.0f} MHz{}, which explains {}",
                     clocks.current, clocks.base, why, change);
}

void JudgeClocks(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                 const rules::PolicyBaseline& policy, bool explains_only,
                 RunComparison& comparison) {
  const auto clocks = FindClockChange(baselines, candidates);
  if (!clocks) return;
  bool is_said = false;
  for (MetricComparison& metric : comparison.metrics) {
    const bool is_judged = metric.method == CompareMethod::kStatistics && !metric.is_missing &&
                           IsTypicalTime(metric.metric);
    if (!is_judged) continue;
    JudgeTime(*clocks, LimitOfMetric(policy, metric), !explains_only && !policy.match_any, metric);
    is_said = true;
  }
  if (!is_said) comparison.notes.push_back(ClockText(*clocks));
}

}  // namespace profgauge::gate
