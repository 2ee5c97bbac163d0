#include "gate/anchor.h"

#include <fmt/format.h>

#include <algorithm>

#include "gate/change_text.h"
#include "gate/compare_metric.h"

namespace profgauge {
namespace {

// The limits that apply to a comparison with the anchor.
PolicyBaseline ForAnchor(PolicyBaseline policy) {
  if (!policy.anchor.max_increase) return policy;
  for (BaselineLimit& limit : policy.limits) {
    if (limit.max_increase && limit.max_increase->relative) {
      limit.max_increase->value = *policy.anchor.max_increase;
    }
  }
  return policy;
}

bool IsGraver(const MetricComparison& a, const MetricComparison& b) {
  return Weight(a.verdict, a.over_limit) > Weight(b.verdict, b.over_limit);
}

// "creep: +6.4 % [+4.0, +8.9] since v2.3 (12 runs), of which this commit at most +1.9 %"
std::string CreepText(const MetricComparison& creep, const MetricComparison& window,
                      const BaselineInfo& info) {
  std::string text = creep.over_limit ? "creep, undecided: " : "creep: ";
  const bool has_interval = creep.method == CompareMethod::kStatistics;
  const bool is_relative = creep.unit != Unit::kShare || creep.is_relative;
  text += has_interval && is_relative ? ChangeWithInterval(creep.shift, creep.low, creep.high)
                                      : creep.reason;
  if (creep.total && *creep.total_limit < *creep.total && creep.shift <= *creep.total_limit) {
    text += ", total " + RelativeChange(*creep.total);
  }
  text += fmt::format(" since {} ({} run{})", info.anchor, info.since_anchor,
                      info.since_anchor == 1 ? "" : "s");
  // Where the window is too noisy to excuse it, it may be all of this commit.
  const bool is_part = creep.method != CompareMethod::kStatistics || window.high < creep.shift;
  if (window.method == CompareMethod::kStatistics && is_relative && is_part) {
    text += ", of which this commit at most " + RelativeChange(window.high);
  }
  return text + "; accept it or find it: profgauge history check";
}

}  // namespace

void HoldAgainstAnchor(std::span<const Snapshot> anchor, std::span<const Snapshot> candidates,
                       const PolicyBaseline& policy, const BaselineInfo& info,
                       RunComparison& comparison) {
  std::vector<std::string> notes;  // Remarks on the anchor's runs are not news of this run.
  for (MetricComparison& creep : CompareMetrics(anchor, candidates, ForAnchor(policy), notes)) {
    if (IsExact(creep.metric) || creep.is_missing) continue;
    const auto window =
        std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                     [&](const MetricComparison& metric) { return metric.metric == creep.metric; });
    if (window == comparison.metrics.end() || window->is_missing) continue;
    const bool is_over = creep.verdict == stats::Change::kFail || creep.over_limit;
    if (!is_over || !IsGraver(creep, *window)) continue;
    creep.reason = CreepText(creep, *window, info);
    *window = std::move(creep);
  }
}

}  // namespace profgauge
