#include "base/metric_id.h"

#include <boost/unordered/unordered_flat_map.hpp>

namespace profgauge {

std::optional<MetricId> FindMetricId(std::string_view text) {
  static const auto kByText = [] {
    boost::unordered_flat_map<std::string_view, MetricId> ids;
    for (const MetricId id : metric::kAll) ids.emplace(id.text(), id);
    return ids;
  }();
  const auto found = kByText.find(text);
  return found == kByText.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace profgauge
