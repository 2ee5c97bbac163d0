// Unrecorded iterations of runs, as comparisons take them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/compare_series.h"
#include "gate/snapshot.h"

namespace profgauge {

/// Whether times are compared by unrecorded iterations.
enum class StepsUse : std::uint8_t {
  kNone,           ///< No side has 20 of them.
  kOneSide,        ///< The other has none: recorded ones are compared.
  kOtherSampling,  ///< One side has means, the other single ones: they cannot be compared.
  kBoth,
};
/// How a comparison uses unrecorded iterations, by those of both sides.
StepsUse StepsUseOf(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates);

/// Whether the metric is a time of unrecorded iterations.
bool IsOfSteps(std::string_view metric);

/// Usual iterations of each run, and all with unusual ones.
SeriesList UsualSteps(std::span<const Snapshot> runs);
/// The unrecorded iterations of each run, in order, in ns.
SeriesList AllSteps(std::span<const Snapshot> runs);
std::vector<double> StepValues(std::span<const Snapshot> runs);

/// "97 and 120 unrecorded iterations": how many a side has.
std::string StepCounts(const SeriesList& base, const SeriesList& current);

}  // namespace profgauge
