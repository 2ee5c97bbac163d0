// Entries for AWS Neuron profiles only: the part of the catalogues that reports of other profiles
// leave out (MetricSpec::family).
#pragma once

#include <span>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge {

inline constexpr std::string_view kNeuronFamily = "neuron";
/// Entries for system profiles of Neuron only.
inline constexpr std::string_view kHostFamily = "neuron-host";

/// In catalog order, as the parts of catalogue_parts.h.
std::span<const MetricSpec> NeuronMetrics();
std::span<const TableSpec> NeuronTables();

}  // namespace profgauge
