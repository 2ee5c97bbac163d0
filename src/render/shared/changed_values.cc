#include "render/shared/changed_values.h"

#include <algorithm>
#include <cmath>

#include "base/value.h"

namespace profgauge::render {
namespace {

// The size of a change; 0 if it is infinite or NaN.
double ChangeOf(const report::PairedValue& value) {
  const double change = std::abs(AsNumber(value.change.value, 0));
  return std::isfinite(change) ? change : 0;
}

bool IsChanged(const report::PairedValue& value) {
  if (IsAbsent(value.change.value)) return false;
  const bool is_in_points = value.base.unit == Unit::kShare;
  const bool is_relative = value.change.unit == Unit::kShare;
  const double least = is_in_points ? kLeastShownPoints : is_relative ? kLeastShownChange : 0;
  return ChangeOf(value) > 0 && ChangeOf(value) >= least;
}

}  // namespace

std::vector<const report::PairedValue*> ChangedValues(const report::Comparison& comparison) {
  std::vector<const report::PairedValue*> changed;
  for (const report::PairedValue& value : comparison.values) {
    const bool is_compared = std::any_of(
        comparison.metrics.begin(), comparison.metrics.end(),
        [&](const report::ComparedMetric& metric) { return metric.metric == value.metric; });
    if (!is_compared && IsChanged(value)) changed.push_back(&value);
  }
  // Changes from 0 come last, because they are in the metric's unit and not comparable with shares.
  const auto is_share = [](const report::PairedValue* value) {
    return value->change.unit == Unit::kShare;
  };
  std::stable_sort(changed.begin(), changed.end(), [&](const auto* a, const auto* b) {
    if (is_share(a) != is_share(b)) return is_share(a);
    return is_share(a) && ChangeOf(*a) > ChangeOf(*b);
  });
  return changed;
}

}  // namespace profgauge::render
