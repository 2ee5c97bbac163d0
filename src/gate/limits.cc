// Judges limits of `thresholds:` by the metrics of a run.

#include "gate/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "gate/accept.h"
#include "gate/unrecorded.h"
#include "gate/verdict.h"
#include "rules/condition.h"
#include "rules/waiver.h"

namespace profgauge::gate {
namespace {

// True if the policy also warns on this metric. An uncertain error then becomes a warning.
bool Warns(const rules::Policy& policy, const rules::Threshold& threshold) {
  return std::ranges::any_of(policy.thresholds, [&](const rules::Threshold& other) {
    return other.metric == threshold.metric && other.level == rules::Level::kWarn;
  });
}

/// If the profile gives a number as a range, the limit decides only if both ends give the same
/// result. `result` is that of the number itself; if the other end's differs, it becomes
///
///   for an optional limit                            a caution
///   if the profiler made the range and a limit warns a warning
///   else                                             low confidence
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
    // If `when` is unknown, a number beyond the limit counts as missing, so it does not pass.
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
  // A pass by an uncertain number says so.
  const bool is_pass = result.status == GateStatus::kPass && result.reason.empty();
  if (is_pass && metric->low_confidence) result.reason = metric->note;
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

namespace {

/// The miss: "is 42.3 %, above the limit of 30 %". Has more digits if both would look equal.
std::string Breach(const Value& value, double limit, std::string_view side, Unit unit) {
  std::string measured = FormatValue(value, unit);
  if (measured == FormatValue(limit, unit)) measured = FormatLimit(AsNumber(value, 0), unit);
  return fmt::format("is {}, {} the limit of {}", measured, side, FormatLimit(limit, unit));
}

}  // namespace

bool IsBeyond(const rules::Threshold& threshold, double value) {
  return (threshold.max && value > *threshold.max) || (threshold.min && value < *threshold.min);
}

std::string BreachOf(const rules::Threshold& threshold, const Value& measured, Unit unit) {
  const double value = AsNumber(measured, 0);
  if (threshold.max && value > *threshold.max) {
    return Breach(measured, *threshold.max, "above", unit);
  }
  if (threshold.min && value < *threshold.min) {
    return Breach(measured, *threshold.min, "below", unit);
  }
  return {};
}

GateStatus StatusOf(rules::Level level) {
  switch (level) {
    case rules::Level::kInfo:
      return GateStatus::kInfo;
    case rules::Level::kWarn:
      return GateStatus::kWarn;
    case rules::Level::kError:
      return GateStatus::kError;
  }
  return GateStatus::kError;
}

rules::OnMissing OnMissingOf(const rules::Threshold& threshold, const rules::Policy& policy) {
  return threshold.on_missing.value_or(policy.on_missing);
}

namespace {

/// True if the value misses the limit, but is within the bound of the waiver.
bool IsWithinWaiver(const rules::Threshold& threshold, const rules::Waiver& waiver, double value) {
  if (!waiver.up_to) return false;
  return (threshold.max && value > *threshold.max && value <= *waiver.up_to) ||
         (threshold.min && value < *threshold.min && value >= *waiver.up_to);
}

// True if a waiver of a missed limit holds. Notes once, even if it covers two limits on a metric,
// what it does or why it no longer holds.
bool Applies(const rules::Waiver& waiver, std::chrono::sys_days today, bool is_within,
             Verdict& verdict) {
  const bool has_expired = rules::HasExpired(waiver, today);
  std::string note =
      has_expired ? *rules::NoteOnWaiver(waiver, true, false)
                  : fmt::format("{}: {}", is_within ? "waived" : "over the bound of its waiver",
                                rules::WaiverText(waiver, today));
  if (std::ranges::find(verdict.waiver_notes, note) == verdict.waiver_notes.end()) {
    verdict.waiver_notes.push_back(std::move(note));
  }
  return is_within && !has_expired;
}

}  // namespace

void WaiveLimit(const rules::Policy& policy, std::chrono::sys_days today, GateResult& result,
                Verdict& verdict) {
  const bool is_missed = result.status == GateStatus::kError || result.status == GateStatus::kWarn;
  if (!is_missed) return;
  for (const rules::Waiver& waiver : policy.waivers) {
    if (waiver.threshold != result.threshold.metric) continue;
    const bool is_within = IsWithinWaiver(result.threshold, waiver, AsNumber(result.measured, 0));
    if (!Applies(waiver, today, is_within, verdict)) continue;
    result.status = GateStatus::kWaived;
    return;
  }
}

bool IsWaivedChange(const MetricComparison& metric, const rules::Policy& policy,
                    std::chrono::sys_days today, Verdict& verdict) {
  const bool is_missed =
      !metric.is_missing && (metric.verdict == stats::Change::kFail || metric.over_limit);
  if (!is_missed) return false;
  for (const rules::Waiver& waiver : policy.waivers) {
    if (waiver.limit != metric.metric || !waiver.up_to) continue;
    if (!Applies(waiver, today, LargestChange(metric) <= *waiver.up_to, verdict)) continue;
    ++verdict.waived_limits;
    return true;
  }
  return false;
}

namespace {

// A run's metrics as an analysis, which the conditions of limits read.
analysis::Analysis MetricsOf(const Snapshot& run) {
  analysis::Analysis analysis;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    analysis::Metric& metric = analysis.metrics.emplace_back();
    metric.spec = &spec;
    const auto found = run.metrics.find(spec.id);
    const bool is_same = run.DefinitionOf(spec.id) == spec.definition_number;
    if (found != run.metrics.end() && is_same) metric.value = found->second;
  }
  return analysis;
}

bool IsWithin(const rules::Threshold& limit, double value) {
  return !(limit.max && value > *limit.max) && !(limit.min && value < *limit.min);
}

}  // namespace

std::optional<std::string> WhyLost(const rules::Threshold& limit,
                                   const analysis::Analysis& analysis,
                                   std::span<const Snapshot> baselines) {
  const analysis::Metric* now = analysis.Find(limit.metric);
  const bool is_absent = now == nullptr || IsAbsent(now->value);
  if (!is_absent && IsWithin(limit, AsNumber(now->value, 0))) return std::nullopt;
  for (const Snapshot& run : baselines) {
    const analysis::Analysis then = MetricsOf(run);
    const analysis::Metric* before = then.Find(limit.metric);
    if (before == nullptr || IsAbsent(before->value) || rules::WhyNotMet(limit.when, then))
      continue;
    const double value = AsNumber(before->value, 0);
    if (!is_absent && !IsWithin(limit, value)) continue;
    return fmt::format("{} has {}", run.name, FormatValue(before->value, before->spec->unit));
  }
  return std::nullopt;
}

}  // namespace profgauge::gate
