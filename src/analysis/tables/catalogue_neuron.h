// What only AWS Neuron profiles have: the part of the catalogues that reports of other profiles
// leave out (MetricSpec::family).
#pragma once

#include <span>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge {

inline constexpr std::string_view kNeuronFamily = "neuron";
/// What only system profiles of Neuron have.
inline constexpr std::string_view kHostFamily = "neuron-host";

std::span<const MetricSpec> NeuronMetrics();
std::span<const TableSpec> NeuronTables();

}  // namespace profgauge
