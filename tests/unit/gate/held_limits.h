// Limits on changes and their results for made runs, in a few words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare_fixture.h"
#include "gate/compare.h"

namespace profgauge::testing {

using Amount = BaselineLimit::Amount;

// A run whose metrics are of today's definitions.
inline Snapshot WithMetric(std::string_view id, std::optional<double> value, double level = 1) {
  Snapshot run = Sample(level);
  run.metrics.erase("kernel.count_per_iteration");
  if (value) run.metrics[std::string(id)] = *value;
  for (const MetricSpec& spec : MetricCatalogue()) {
    run.definitions[std::string(spec.id)] = spec.definition_number;
  }
  return run;
}

inline PolicyBaseline Only(const BaselineLimit& limit) {
  PolicyBaseline policy;
  policy.limits = {limit};
  return policy;
}

inline BaselineLimit On(std::string_view metric, std::optional<Amount> increase,
                        std::optional<Amount> decrease = {}) {
  BaselineLimit limit;
  limit.metric = metric;
  limit.max_increase = increase;
  limit.max_decrease = decrease;
  return limit;
}

inline MetricComparison Compared(const std::vector<Snapshot>& bases,
                                 const std::vector<Snapshot>& candidates,
                                 const BaselineLimit& limit) {
  const PolicyBaseline policy = Only(limit);
  return CompareRuns(bases, candidates, &policy).metrics.front();
}

inline std::string Words(const MetricComparison& of) {
  return of.is_missing
             ? "missing"
             : std::string(stats::ChangeName(of.verdict)) + (of.over_limit ? " over" : "");
}

}  // namespace profgauge::testing
