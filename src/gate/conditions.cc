#include "gate/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "gate/change_text.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge {
namespace {

// Of the runs that know it; 0 where one does not.
double ClockOf(std::span<const Snapshot> runs) {
  std::vector<double> clocks;
  for (const Snapshot& run : runs) clocks.push_back(run.conditions.clock_mhz);
  return std::ranges::min(clocks) > 0 ? stats::Median(clocks) : 0;
}

}  // namespace

std::string ConditionsText(std::span<const Snapshot> baselines,
                           std::span<const Snapshot> candidates) {
  const double there = ClockOf(baselines), here = ClockOf(candidates);
  if (there <= 0 || here <= 0) return {};
  if (std::abs(here - there) <= knowledge::kGateAlikeClocks * there) return {};
  const DeviceConditions& conditions = candidates.front().conditions;
  const std::string why =
      conditions.reason.empty() || here > there
          ? std::string()
          : fmt::format(" (`{}` for {} of the time)", PrintableShort(conditions.reason),
                        FormatShare(conditions.reason_share));
  return fmt::format(
      "the devices ran at {:.0f} MHz instead of {:.0f} MHz{}, which explains at most {}", here,
      there, why, RelativeChange(there / here - 1));
}

}  // namespace profgauge
