// Conditions over metrics: the `when` of a limit, "tensor_core.eligible_share >= 10%".
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

/// A metric of the catalog as a field of expressions; nothing if no metric has that name.
std::optional<expr::Field> MetricField(std::string_view name);
/// The names of all of them, in the order of the catalogue.
std::vector<std::string> MetricNames();

/// Errors of the expression language, whose offsets count from the start of `source`, with the
/// places that those bytes have in the file.
Errors PlacedErrors(std::vector<Error> errors, const SourceText& source);

/// The errors in `condition`, with places; empty when it can be evaluated. Empty text is fine.
Errors CheckCondition(const SourceText& condition);

/// Nothing when the condition holds (or is empty); else one clause that says why not: it is false,
/// or a metric that it needs is absent. IsUnknown() distinguishes the two: a caller that does not
/// ask lets an absent number disable its limit. REQUIRES: CheckCondition(condition) is empty.
std::optional<std::string> WhyNotMet(const SourceText& condition,
                                     const analysis::Analysis& analysis);

/// Whether it is unknown if the condition holds, since a metric that it needs is absent.
/// REQUIRES: CheckCondition(condition) is empty.
bool IsUnknown(const SourceText& condition, const analysis::Analysis& analysis);

}  // namespace profgauge::rules
