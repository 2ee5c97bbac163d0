// Limits on changes and their results for made runs, in a few words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare_fixture.h"
#include "gate/compare.h"

namespace profgauge::gate::testing {

using Amount = rules::BaselineLimit::Amount;

// A run whose metrics are of today's definitions.
inline Snapshot WithMetric(std::string_view id, std::optional<double> value, double level = 1) {
  Snapshot run = Sample(level);
  run.metrics.erase("kernel.count_per_iteration");
  if (value) run.metrics[std::string(id)] = *value;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    run.definitions[std::string(spec.id)] = spec.definition_number;
  }
  return run;
}

inline rules::PolicyBaseline Only(const rules::BaselineLimit& limit) {
  rules::PolicyBaseline policy;
  policy.limits = {limit};
  return policy;
}

inline rules::BaselineLimit On(std::string_view metric, std::optional<Amount> increase,
                               std::optional<Amount> decrease = {}) {
  rules::BaselineLimit limit;
  limit.metric = metric;
  limit.max_increase = increase;
  limit.max_decrease = decrease;
  return limit;
}

inline MetricComparison Compared(const std::vector<Snapshot>& bases,
                                 const std::vector<Snapshot>& candidates,
                                 const rules::BaselineLimit& limit) {
  const rules::PolicyBaseline policy = Only(limit);
  return CompareRuns(bases, candidates, &policy).metrics.front();
}

inline std::string Words(const MetricComparison& of) {
  return of.is_missing
             ? "missing"
             : std::string(stats::ChangeName(of.verdict)) + (of.over_limit ? " over" : "");
}

}  // namespace profgauge::gate::testing
