#include "rules/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/analysis.h"
#include "base/format.h"
#include "base/metric_id.h"

namespace profgauge::rules {

double ProfilerDelayOf(const analysis::Analysis& analysis) {
  const analysis::Metric* idle = analysis.Find(metric::kGpuIdleMean);
  const analysis::Metric* delay = analysis.Find(metric::kProfilerDelayTime);
  if (idle == nullptr || !idle->is_slowed || delay == nullptr) return 0;
  return std::max(0.0, AsNumber(delay->value, 0));
}

double HostExcessOf(const analysis::Analysis& analysis) {
  const bool is_whole = analysis.iteration_source.by == IterationsBy::kUndivided;
  return is_whole ? std::numeric_limits<double>::infinity() : ProfilerDelayOf(analysis);
}

void AllowForExcess(double excess, double least, Claim& claim) {
  if (!claim.is_simulated()) return;
  const double low = std::max(0.0, std::min(claim.least(), claim.saves - excess));
  if (claim.saves - low >= least) claim.low = low;
}

// The low end has a unit only if it differs from that of the high end.
std::string RangeText(double low, double high) {
  const std::string from = FormatDuration(low), to = FormatDuration(high);
  const std::size_t from_unit = from.rfind(kNumberSpace), to_unit = to.rfind(kNumberSpace);
  if (from == to) return to;
  const bool is_same =
      from_unit != from.npos && to_unit != to.npos && from.substr(from_unit) == to.substr(to_unit);
  return fmt::format("{} to {}", is_same ? from.substr(0, from_unit) : from, to);
}

std::string ClaimText(const Claim& claim) {
  switch (claim.basis) {
    case Basis::kNone:
      break;
    case Basis::kSimulated:
      if (claim.saves <= 0) return "saves nothing";
      if (claim.is_best_case || claim.least() <= 0) {
        return "saves up to " + FormatDuration(claim.saves);
      }
      return "saves " + RangeText(claim.least(), claim.saves);
    case Basis::kAtMost:
      return claim.saves <= 0 ? "saves nothing" : "saves at most " + FormatDuration(claim.saves);
    case Basis::kAbout:
      return claim.saves <= 0 ? "saves nothing" : "saves about " + FormatDuration(claim.saves);
    case Basis::kUnknown:
      return "saving unknown";
  }
  return {};
}

}  // namespace profgauge::rules
