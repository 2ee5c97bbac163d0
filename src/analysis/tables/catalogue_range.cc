// What values the metrics of the catalogue can have.
#include <limits>

#include "analysis/tables/catalogue_parts.h"

namespace profgauge {
namespace {

// Shares that are none of a whole, by the start of their ids: spreads, differences against a mean,
// and work against a peak or a size that is stated, measured or assumed elsewhere.
constexpr std::string_view kBeyondTheWhole[] = {
    "iteration.time.",
    "iteration.drift",
    "rank.imbalance",
    "gpu.measured.",
    "memory.peak_share",
    "flops.",
    "npu.",
    "neuron.mfu",
    "neuron.hfu",
    "neuron.mbu",
    "spill.",
    "hbm.",
    "neuron.core_imbalance",
    "host.",
};

// A change for the worse is negative.
bool CanBeNegative(std::string_view id) {
  return id == "iteration.drift" || id.ends_with(".gain_share");
}

}  // namespace

ValueRange RangeOfMetric(const MetricSpec& spec) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ValueRange range;
  if (CanBeNegative(spec.id)) range.least = -kInfinity;
  bool is_of_a_whole = spec.unit == Unit::kShare;
  for (const std::string_view prefix : kBeyondTheWhole) {
    if (spec.id.starts_with(prefix)) is_of_a_whole = false;
  }
  if (is_of_a_whole) range.most = 1;
  return range;
}

}  // namespace profgauge
