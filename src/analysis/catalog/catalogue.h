// Which metrics belong to some reports only: Neuron's, and those of scenarios. The catalog itself
// is declared in analysis/analysis.h (MetricCatalogue(), TableCatalogue()); its rows are in
// catalogue_*.cc, its shared parts in catalogue_parts.h.
#pragma once

#include <span>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge::analysis::catalog {

// Entries for AWS Neuron profiles only: the part of the catalogues that reports of other profiles
// leave out (MetricSpec::family).

inline constexpr std::string_view kNeuronFamily = "neuron";
/// Entries for system profiles of Neuron only.
inline constexpr std::string_view kHostFamily = "neuron-host";

/// In catalog order, as the parts of catalogue_parts.h. The spans live as long as the program.
std::span<const MetricSpec> NeuronMetrics();
std::span<const TableSpec> NeuronTables();

// Metrics of scenarios, what_if.NAME.iteration_time and what_if.NAME.gain_share. Users name them,
// so the catalog has none. DescribeMetric() makes their entries.

/// NAME of such an id; empty for other ids. A view into `id`. NAME ends at the first dot.
std::string_view ScenarioOfMetric(std::string_view id);

}  // namespace profgauge::analysis::catalog
