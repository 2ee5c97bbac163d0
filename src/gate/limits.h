// Judges limits on one run: `thresholds:` of a policy, their waivers, and limits that no longer
// judge.
//
// Limits on changes against a baseline are compare.h's. verdict.h counts the results.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "analysis/analysis.h"
#include "gate/compare.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "rules/policy.h"

namespace profgauge::gate {

// Compares a number with a limit.

/// The miss as text: "is 42.3 %, above the limit of 30 %". Empty if the value is within the limits.
std::string BreachOf(const rules::Threshold& threshold, const Value& value, Unit unit);
/// True if the value exceeds the limit. A value exactly on a limit is within it.
bool IsBeyond(const rules::Threshold& threshold, double value);

/// Judges one limit of `thresholds:`, without its waivers. If the profile gives the number as a
/// range, the limit decides only if all of the range keeps it or all of it misses it. An absent
/// metric is kMissing, or kSkipped if the policy says so. If `when` is false or unknown, the result
/// is kNotApplicable; but it is kMissing if `when` is unknown and the number misses the limit.
/// Order of the checks: `when`, the number without the profiler, absence, the limit, confidence.
GateResult JudgeThreshold(const rules::Threshold& threshold, const rules::Policy& policy,
                          const analysis::Analysis& analysis);
/// Makes `result` missing instead of "not applicable" if the limit is lost: WhyLost().
void KeepOpen(std::span<const Snapshot> baselines, const rules::Policy& policy,
              const analysis::Analysis& analysis, GateResult& result);

/// The status of a missed limit of this level.
GateStatus StatusOf(rules::Level level);
/// The limit's own setting for a missing number or, without one, the policy's.
rules::OnMissing OnMissingOf(const rules::Threshold& threshold, const rules::Policy& policy);

// Waivers: missed limits that are accepted until a day, up to a value or a change.

/// Waives `result` if a waiver of `policy` covers it, and adds a note to `verdict`.
void WaiveLimit(const rules::Policy& policy, std::chrono::sys_days today, GateResult& result,
                Verdict& verdict);

/// True if a waiver covers the missed limit on a change or on the total. Then counts the waiver,
/// and notes it in `verdict`.
bool IsWaivedChange(const MetricComparison& metric, const rules::Policy& policy,
                    std::chrono::sys_days today, Verdict& verdict);

// Lost limits, which judged a run of the baseline but do not judge this run.

/// The baseline's value, as text, if the limit is lost: it judged a run of `baselines`, but not
/// `analysis`, whose metric is absent, or whose `when` is false while the number has gone beyond
/// the limit. A lost limit is never ignored, whatever `on_missing` is: otherwise renamed kernels
/// would pass a limit on Tensor Cores. Nothing if it is not lost, or if no run of the baseline has
/// the metric with the same definition.
std::optional<std::string> WhyLost(const rules::Threshold& limit,
                                   const analysis::Analysis& analysis,
                                   std::span<const Snapshot> baselines);

}  // namespace profgauge::gate
