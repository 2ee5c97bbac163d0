// Judges limits on one run: `thresholds:` of a policy, their waivers, and limits that stopped
// judging.
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

// A number compared with a limit.

/// "is 42.3 %, above the limit of 30 %". Empty if the value is within the limits.
std::string BreachOf(const rules::Threshold& threshold, const Value& value, Unit unit);
/// True if the value exceeds the limit. A value exactly on a limit is within it.
bool IsBeyond(const rules::Threshold& threshold, double value);

/// Judges one limit of `thresholds:`, without its waivers. A number that the profile gives as a
/// range decides only if all of the range keeps the limit or all of it misses it. An absent metric
/// is kMissing, or kSkipped if the policy says so. With a false or unknown `when`: kNotApplicable,
/// but kMissing if `when` is unknown and the number misses the limit. Checked in this order:
/// `when`, the number without the profiler, absence, the limit, confidence.
GateResult JudgeThreshold(const rules::Threshold& threshold, const rules::Policy& policy,
                          const analysis::Analysis& analysis);
/// Revokes "not applicable" if the limit judged a run of the baseline: WhyLost().
void KeepOpen(std::span<const Snapshot> baselines, const rules::Policy& policy,
              const analysis::Analysis& analysis, GateResult& result);

/// The result of a miss at this level.
GateStatus StatusOf(rules::Level level);
/// The limit's own setting for a missing number, else the policy's.
rules::OnMissing OnMissingOf(const rules::Threshold& threshold, const rules::Policy& policy);

// Waivers: missed limits that are accepted until a day, up to a value or a change.

/// Waives `result` if a waiver of `policy` covers it, and adds a note to `verdict`.
void WaiveLimit(const rules::Policy& policy, std::chrono::sys_days today, GateResult& result,
                Verdict& verdict);

/// True if a waiver covers a missed limit on a change or on the total. The waiver is then counted
/// and noted in `verdict`.
bool IsWaivedChange(const MetricComparison& metric, const rules::Policy& policy,
                    std::chrono::sys_days today, Verdict& verdict);

// Lost limits: they judged a run of the baseline but do not judge this run.

/// The baseline's value for the metric of a lost limit, as text. A limit is lost if it judged a run
/// of `baselines`, but its metric is absent from `analysis`, or its `when` is no longer true and
/// the number is beyond the limit only now. A lost limit is never ignored, whatever `on_missing`
/// is: otherwise renamed kernels would pass a limit on Tensor Cores. Nothing if no run of the
/// baseline was judged by it, or if the metric's definition differs.
std::optional<std::string> WhyLost(const rules::Threshold& limit,
                                   const analysis::Analysis& analysis,
                                   std::span<const Snapshot> baselines);

}  // namespace profgauge::gate
