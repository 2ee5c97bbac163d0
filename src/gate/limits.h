// Limits: a number held against one, waived ones, and those that no longer judge.
//
// For `thresholds:` of a policy, which judge one run by itself. Limits on changes against a
// baseline are compare.h's. A result here does not yet count: verdict.h counts it.
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

// A number compared with a limit.

/// "is 42.3 %, above the limit of 30 %". Empty when the value is within the limits.
std::string BreachOf(const rules::Threshold& threshold, const Value& value, Unit unit);
/// Whether the value exceeds the limit. A value exactly on a limit is within it.
bool IsBeyond(const rules::Threshold& threshold, double value);

/// The result of one limit of `thresholds:`; its waivers are not looked at. A number that the
/// profile gives as a range decides only if all of the range keeps the limit, or all of it misses
/// it. An absent metric is kMissing, or kSkipped where the policy says so. A false or unknown
/// `when` is kNotApplicable, except that an unknown one beside a number beyond the limit is
/// kMissing. In this order: `when`, the number without the profiler, absence, the limit,
/// confidence.
GateResult JudgeThreshold(const rules::Threshold& threshold, const rules::Policy& policy,
                          const analysis::Analysis& analysis);
/// Takes "not applicable" back where a run of the baseline was judged by the limit: WhyLost().
void KeepOpen(std::span<const Snapshot> baselines, const rules::Policy& policy,
              const analysis::Analysis& analysis, GateResult& result);

/// The result of a miss at that level.
GateStatus StatusOf(rules::Level level);
/// The limit's setting for a missing number, else the policy's.
rules::OnMissing OnMissingOf(const rules::Threshold& threshold, const rules::Policy& policy);

// Missed limits that are known and accepted until a day, up to a value or a change.

/// Waives `result` where a waiver of `policy` covers it, and says so in the notes of `verdict`.
void WaiveLimit(const rules::Policy& policy, std::chrono::sys_days today, GateResult& result,
                Verdict& verdict);

/// Whether a waiver covers a missed limit on a change, of the total too; then it is counted and
/// said.
bool IsWaivedChange(const MetricComparison& metric, const rules::Policy& policy,
                    std::chrono::sys_days today, Verdict& verdict);

// Limits that judged a run of the baseline and no longer judge this one.

/// The value of a run of `baselines` for the metric of `limit`, where the limit applied to that run
/// but not to `analysis`: its metric is absent by now, or its `when` is no longer true
/// though the number is beyond the limit and was not before. Such a limit must not fall silent,
/// whatever `on_missing` says: kernels under new names would pass a gate on Tensor Cores.
/// Nothing where no run of the baseline was judged by it, or by another definition of the metric.
/// REQUIRES: `limit` did not apply to `analysis`, or its metric is absent.
std::optional<std::string> WhyLost(const rules::Threshold& limit,
                                   const analysis::Analysis& analysis,
                                   std::span<const Snapshot> baselines);

}  // namespace profgauge::gate
