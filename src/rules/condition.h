// Conditions over metrics, e.g. the `when` of a limit: "tensor_core.eligible_share >= 10%".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/errors.h"
#include "expr/schema.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// The metric as a field of expressions; nothing if the catalog has no such metric.
std::optional<expr::Field> MetricField(std::string_view name);
/// The names of all metrics, in the order of the catalog.
std::vector<std::string> MetricNames();

/// Converts the offsets of errors in an expression, which count from the start of `source`, to
/// places in the file.
Errors PlacedErrors(std::vector<Error> errors, const SourceText& source);

/// The errors in `condition`, with places; empty if it is valid. An empty condition is valid.
Errors CheckCondition(const SourceText& condition);

/// Explains in a clause why the condition fails: it is false, or a metric is absent. Returns
/// nothing if it is true or empty. IsUnknown() distinguishes the two reasons: without it, an absent
/// number would disable a limit. REQUIRES: CheckCondition(condition) is empty.
std::optional<std::string> WhyNotMet(const SourceText& condition,
                                     const analysis::Analysis& analysis);

/// True if a needed metric is absent, so that the condition cannot be evaluated.
/// REQUIRES: CheckCondition(condition) is empty.
bool IsUnknown(const SourceText& condition, const analysis::Analysis& analysis);

}  // namespace profgauge::rules
