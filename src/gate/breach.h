// A number compared with a limit.
#pragma once

#include <string>

#include "analysis/analysis.h"
#include "gate/verdict.h"
#include "rules/policy.h"

namespace profgauge {

/// "is 42.3 %, above the limit of 30 %". Empty when the value is within the limits.
std::string BreachOf(const Threshold& threshold, const Value& value, Unit unit);
/// Whether the value exceeds the limit. A value exactly on a limit is within it.
bool IsBeyond(const Threshold& threshold, double value);

/// The result of a miss at that level.
GateStatus StatusOf(Level level);
/// The limit's setting for a missing number, else the policy's.
OnMissing OnMissingOf(const Threshold& threshold, const Policy& policy);

}  // namespace profgauge
