// Missed limits that are known and accepted until a day, up to a value or a change.
#pragma once

#include <chrono>

#include "gate/compare.h"
#include "gate/verdict.h"
#include "rules/policy.h"

namespace profgauge {

/// Waives `result` where a waiver of `policy` covers it, and says so in the notes of `verdict`.
void WaiveLimit(const Policy& policy, std::chrono::sys_days today, GateResult& result,
                Verdict& verdict);

/// Whether a waiver covers a missed limit on a change, of the total too; then it is counted and
/// said.
bool IsWaivedChange(const MetricComparison& metric, const Policy& policy,
                    std::chrono::sys_days today, Verdict& verdict);

}  // namespace profgauge
