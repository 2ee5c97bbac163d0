#include "gate/lost_limits.h"

#include <fmt/format.h>

#include "base/format.h"
#include "rules/condition.h"

namespace profgauge {
namespace {

// As much of the run's analysis as conditions of limits look at.
Analysis MetricsOf(const Snapshot& run) {
  Analysis analysis;
  for (const MetricSpec& spec : MetricCatalogue()) {
    Metric& metric = analysis.metrics.emplace_back();
    metric.spec = &spec;
    const auto found = run.metrics.find(spec.id);
    const bool is_same = run.DefinitionOf(spec.id) == spec.definition_number;
    if (found != run.metrics.end() && is_same) metric.value = found->second;
  }
  return analysis;
}

bool IsWithin(const Threshold& limit, double value) {
  return !(limit.max && value > *limit.max) && !(limit.min && value < *limit.min);
}

}  // namespace

std::optional<std::string> WhyLost(const Threshold& limit, const Analysis& analysis,
                                   std::span<const Snapshot> baselines) {
  const Metric* now = analysis.Find(limit.metric);
  const bool is_absent = now == nullptr || IsAbsent(now->value);
  if (!is_absent && IsWithin(limit, AsNumber(now->value, 0))) return std::nullopt;
  for (const Snapshot& run : baselines) {
    const Analysis then = MetricsOf(run);
    const Metric* before = then.Find(limit.metric);
    if (before == nullptr || IsAbsent(before->value) || WhyNotMet(limit.when, then)) continue;
    const double value = AsNumber(before->value, 0);
    if (!is_absent && !IsWithin(limit, value)) continue;
    return fmt::format("{} has {}", run.name, FormatValue(before->value, before->spec->unit));
  }
  return std::nullopt;
}

}  // namespace profgauge
