#include "analysis/analysis.h"

namespace profgauge {

const Metric* Analysis::Find(std::string_view id) const {
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

}  // namespace profgauge
