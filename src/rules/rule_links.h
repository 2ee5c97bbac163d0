// What compiled rules have to do with each other and with their policy: which explains which, whose
// limits hold, and what is waived.
#pragma once

#include <span>
#include <vector>

#include "rules/compile.h"
#include "rules/errors.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// Fills in `symptoms`. A rule that is switched off may still be named, and so may a metric.
void LinkSymptoms(std::vector<CompiledRule>& rules);

/// Adds an error for each rule that explains itself, over any number of others.
/// REQUIRES: LinkSymptoms().
void CheckCircles(const std::vector<CompiledRule>& rules, Errors& errors);

/// The policy's limits on the metric that the rule measures (MeasuredMetric()) replace its own.
/// Limits that have a condition say something else than the rule.
void AdoptLimits(const Policy& policy, CompiledRule& rule);

/// Gives each rule its waivers. The condition of a waiver is not checked if its rule has errors.
void AttachWaivers(const Policy& policy, std::span<const Errors> errors_of,
                   std::vector<CompiledRule>& rules, Errors& errors);

}  // namespace profgauge::rules
