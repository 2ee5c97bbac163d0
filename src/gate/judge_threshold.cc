// Limits of `thresholds:`, each held against the metric of a run.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/format.h"
#include "gate/limits.h"
#include "gate/unrecorded.h"
#include "gate/verdict.h"
#include "rules/condition.h"

namespace profgauge::gate {
namespace {

// Whether the policy warns of the same metric: then an unsure error is that warning.
bool Warns(const rules::Policy& policy, const rules::Threshold& threshold) {
  return std::ranges::any_of(policy.thresholds, [&](const rules::Threshold& other) {
    return other.metric == threshold.metric && other.level == rules::Level::kWarn;
  });
}

/// If the profile gives a number as a range, a limit is decided if all of the range
/// keeps it, or if all of it misses it. `result` follows from the number itself.
///
///   an optional limit                               a caution
///   the profiler made the range, and a limit warns  a warning
///   else                                            low confidence
void LeaveOpen(const rules::Threshold& threshold, const rules::Policy& policy,
               const analysis::Metric& metric, GateResult& result) {
  if (!metric.may_be || threshold.level == rules::Level::kInfo) return;
  analysis::Metric other = metric;
  other.value = *metric.may_be;
  const bool is_kept = result.reason.empty();
  if (BreachOf(threshold, other.value, other.spec->unit).empty() == is_kept) return;
  if (OnMissingOf(threshold, policy) == rules::OnMissing::kSkip) {
    const double value = AsNumber(metric.value, 0);
    const Unit unit = metric.spec->unit;
    result.status = GateStatus::kCaution;
    result.reason =
        fmt::format("not judged: between {} and {}; {}",
                    FormatValue(Value(std::min(value, *metric.may_be)), unit),
                    FormatValue(Value(std::max(value, *metric.may_be)), unit), metric.note);
    return;
  }
  if (metric.is_slowed && Warns(policy, threshold)) {
    result.status = is_kept ? GateStatus::kPass : GateStatus::kWarn;
    if (!is_kept) result.reason += fmt::format(", but {}", metric.note);
    return;
  }
  result.status = GateStatus::kLowConfidence;
  if (!is_kept) {
    result.reason += fmt::format(", but uncertain: {}", metric.note);
    return;
  }
  result.reason = fmt::format("is {}, within the limit, but uncertain: {}",
                              FormatValue(metric.value, metric.spec->unit), metric.note);
}

}  // namespace

GateResult JudgeThreshold(const rules::Threshold& threshold, const rules::Policy& policy,
                          const analysis::Analysis& analysis) {
  GateResult result{threshold, {}, GateStatus::kPass, {}, {}};
  const analysis::Metric* metric = analysis.Find(threshold.metric);
  if (metric != nullptr) result.measured = metric->value;
  if (const auto unmet = rules::WhyNotMet(threshold.when, analysis)) {
    result.status = GateStatus::kNotApplicable;
    result.reason = *unmet;
    // Whether the limit applies is unknown: no matter within it, but no pass beyond it.
    const bool is_open = rules::IsUnknown(threshold.when, analysis) && metric != nullptr &&
                         !IsAbsent(metric->value) &&
                         !BreachOf(threshold, metric->value, metric->spec->unit).empty() &&
                         OnMissingOf(threshold, policy) != rules::OnMissing::kSkip;
    if (is_open) result.status = GateStatus::kMissing;
    return result;
  }
  if (auto without = JudgeWithoutProfiler(threshold, policy, analysis)) return *std::move(without);
  if (metric == nullptr || IsAbsent(metric->value)) {
    const bool skipped = OnMissingOf(threshold, policy) == rules::OnMissing::kSkip;
    result.status = skipped ? GateStatus::kSkipped : GateStatus::kMissing;
    result.reason = metric == nullptr || metric->absent_because.empty()
                        ? "this profile does not have it"
                        : metric->absent_because;
    return result;
  }
  result.reason = BreachOf(threshold, metric->value, metric->spec->unit);
  if (!result.reason.empty()) result.status = StatusOf(threshold.level);
  if (metric->low_confidence && !result.reason.empty() && threshold.level != rules::Level::kInfo) {
    result.status = GateStatus::kLowConfidence;
    result.reason +=
        metric->note.empty() ? ", but uncertain" : fmt::format(", but uncertain: {}", metric->note);
    return result;
  }
  LeaveOpen(threshold, policy, *metric, result);
  return result;
}

void KeepOpen(std::span<const Snapshot> baselines, const rules::Policy& policy,
              const analysis::Analysis& analysis, GateResult& result) {
  const bool is_silent = result.status == GateStatus::kSkipped ||
                         result.status == GateStatus::kCaution ||
                         result.status == GateStatus::kNotApplicable;
  if (!is_silent || !Fails(result.threshold.level, policy.fail_on)) return;
  if (const auto lost = WhyLost(result.threshold, analysis, baselines)) {
    result.status = GateStatus::kMissing;
    result.reason += fmt::format("; in the baseline {}", *lost);
  }
}

}  // namespace profgauge::gate
