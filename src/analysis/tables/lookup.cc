#include "analysis/analysis.h"
#include "analysis/tables/catalogue.h"

namespace profgauge::analysis {

// Mostly metrics are in catalog order, each at its place. A report of another version may not have
// some: then all are searched.
const Metric* Analysis::Find(MetricId id) const {
  const MetricSpec& spec = SpecOf(id);
  if (id.place() < metrics.size() && metrics[id.place()].spec == &spec) return &metrics[id.place()];
  for (const Metric& metric : metrics) {
    if (metric.spec == &spec) return &metric;
  }
  return nullptr;
}

// nullptr for ids that neither the catalog nor a scenario has, and where the analysis has none.
const Metric* Analysis::Find(std::string_view id) const {
  if (const std::optional<MetricId> known = FindMetricId(id)) return Find(*known);
  if (tables::ScenarioOfMetric(id).empty()) return nullptr;
  for (const Metric& metric : metrics) {
    if (metric.spec->id == id) return &metric;
  }
  return nullptr;
}

const Table* Analysis::FindTable(std::string_view id) const {
  for (const Table& table : tables) {
    if (table.id() == id) return &table;
  }
  return nullptr;
}

}  // namespace profgauge::analysis
