// The metrics of the critical path, two for each kind of wait.
#include <fmt/format.h>

#include <deque>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "analysis/catalog/catalogue_parts.h"
#include "model/path_kind.h"

namespace profgauge::analysis::catalog {
namespace {

/// Keeps a text for entries of the catalog at a fixed address.
std::string_view KeptText(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

// The entry for a kind of wait, as a share or as a time.
MetricSpec PathMetric(const PathKindInfo& kind, Unit unit) {
  const bool is_share = unit == Unit::kShare;
  std::string title(kind.title);
  title.front() = static_cast<char>(title.front() - 'A' + 'a');
  return {is_share ? kind.metrics.share : kind.metrics.time,
          KeptText(fmt::format("Critical path: {}{}", title, is_share ? "" : ", time")),
          unit,
          is_share ? catalogue::kUpToOne : catalogue::kFromZero,
          Direction::kLowerIsBetter,
          Pooling::kOther,
          catalogue::kOfAllWork,
          1,
          KeptText(fmt::format("{} of the critical path in {}.", is_share ? "Share" : "Time",
                               kind.part)),
          catalogue::kPathParts,
          catalogue::kOurs};
}

// Metrics of the plan (rules/plan.h), computed from findings.
constexpr std::string_view kReplayed =
    "each step is the finding whose change saves most in a simulation with the changes before it";
constexpr std::string_view kFloor =
    "one simulation with the changes of the plan, without host time and without waiting, every "
    "kernel at the roof of its operator, collectives at the best bandwidth of their kind; kernels "
    "of "
    "unknown work as recorded";
constexpr MetricSpec kPlan[] = {
    {metric::kPlanEndTime, "Iteration time after the plan", Unit::kTime, catalogue::kFromZero,
     Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Mean iteration time after all steps of the plan; with the pauses between, if they are long.",
     kReplayed, catalogue::kOurs},
    {metric::kPlanGainShare, "Savings of the plan", Unit::kShare, catalogue::kUpToOne,
     Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Savings of all steps of the plan together, divided by the mean iteration time.", kReplayed,
     catalogue::kOurs},
    {metric::kPlanFirstGainShare, "Savings of the plan's first step", Unit::kShare,
     catalogue::kUpToOne, Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Savings of the first step of the plan, divided by the mean iteration time.", kReplayed,
     catalogue::kOurs},
    {metric::kPlanSteps, "Steps of the plan", Unit::kCount, catalogue::kFromZero,
     Direction::kNeutral, Pooling::kOther, catalogue::kOfAllWork, 1,
     "How many findings save time, one after another.", kReplayed, catalogue::kOurs},
    {metric::kFloorTime, "Floor of the iteration time", Unit::kTime, catalogue::kFromZero,
     Direction::kLowerIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Mean iteration time if the device never waited for the host, kernels ran at their roofs, and "
     "ranks did not wait for each other.",
     kFloor, catalogue::kOurs},
    {metric::kFloorShare, "Floor, share of the iteration time", Unit::kShare, catalogue::kUpToOne,
     Direction::kHigherIsBetter, Pooling::kOther, catalogue::kOfAllWork, 1,
     "Floor of the iteration time, divided by the mean iteration time.", kFloor, catalogue::kOurs},
};

}  // namespace

std::span<const MetricSpec> PathMetrics() {
  static const std::vector<MetricSpec> kAll = [] {
    std::vector<MetricSpec> all;
    for (const PathKindInfo& kind : kPathKindInfo) {
      all.push_back(PathMetric(kind, Unit::kShare));
      all.push_back(PathMetric(kind, Unit::kTime));
    }
    all.insert(all.end(), std::begin(kPlan), std::end(kPlan));
    return all;
  }();
  return kAll;
}

}  // namespace profgauge::analysis::catalog
