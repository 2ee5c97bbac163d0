// Metrics of scenarios, what_if.NAME.iteration_time and what_if.NAME.gain_share. Users name them,
// so the catalog has none. DescribeMetric() makes their entries.
#pragma once

#include <string_view>

namespace profgauge {

/// NAME of such an id; empty for other ids.
std::string_view ScenarioOfMetric(std::string_view id);

}  // namespace profgauge
