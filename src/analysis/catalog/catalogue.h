// Metrics that only some reports contain: Neuron's, and those of scenarios. analysis/analysis.h
// declares the catalog itself (MetricCatalogue(), TableCatalogue()); its rows are in
// catalogue_*.cc, its shared parts in catalogue_parts.h.
#pragma once

#include <span>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge::analysis::catalog {

// Entries for AWS Neuron profiles only; reports of other profiles omit them (MetricSpec::family).

inline constexpr std::string_view kNeuronFamily = "neuron";
/// Entries for system profiles of Neuron only.
inline constexpr std::string_view kHostFamily = "neuron-host";

/// In catalog order, like the parts of catalogue_parts.h. They live as long as the program.
std::span<const MetricSpec> NeuronMetrics();
std::span<const TableSpec> NeuronTables();

// Metrics of scenarios, what_if.NAME.iteration_time and what_if.NAME.gain_share. Users choose the
// names, so the catalog does not contain them. DescribeMetric() makes their entries.

/// NAME in such an id, up to the first dot; empty for other ids. A view into `id`.
std::string_view ScenarioOfMetric(std::string_view id);

}  // namespace profgauge::analysis::catalog
