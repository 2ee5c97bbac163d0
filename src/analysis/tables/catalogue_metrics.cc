// The metric catalogue. Several ranks: counts and times are summed over ranks, shares are weighted
// by the time they are shares of; a definition says so where it is otherwise.
#include <fmt/format.h>

#include <cassert>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/tables/catalogue.h"
#include "analysis/tables/catalogue_parts.h"

namespace profgauge::analysis {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;

}  // namespace

// Put together on the first question; the language makes that safe for several threads.
std::span<const MetricSpec> MetricCatalogue() {
  static const std::vector<MetricSpec> kAll = [] {
    std::vector<MetricSpec> all;
    for (const auto part :
         {tables::TimeMetrics(), tables::WorkMetrics(), tables::PathMetrics(), tables::RunMetrics(),
          tables::ServingMetrics(), tables::NeuronMetrics()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    assert(all.size() == metric::kAll.size());
    return all;
  }();
  return kAll;
}

const MetricSpec& SpecOf(MetricId id) { return MetricCatalogue()[id.place()]; }

const MetricSpec* FindMetric(std::string_view id) {
  const std::optional<MetricId> known = FindMetricId(id);
  return known ? &SpecOf(*known) : nullptr;
}

std::string_view PoolingName(Pooling pooling) {
  switch (pooling) {
    case kSum:
      return "sum";
    case kRatio:
      return "ratio";
    case kQuantile:
      return "quantile";
    case kMax:
      return "max";
    case kOther:
      break;
  }
  return "other";
}

// "what_if.bf16.gain_share" is of "bf16".
std::string_view tables::ScenarioOfMetric(std::string_view id) {
  constexpr std::string_view kPrefix = "what_if.";
  if (!id.starts_with(kPrefix)) return {};
  const std::string_view rest = id.substr(kPrefix.size());
  const std::size_t dot = rest.find('.');
  if (dot == rest.npos) return {};
  const std::string_view number = rest.substr(dot + 1);
  return number == "iteration_time" || number == "gain_share" ? rest.substr(0, dot)
                                                              : std::string_view();
}

namespace {

// The entry of a scenario's metric and its texts.
struct ScenarioMetric {
  std::string id, title;
  MetricSpec spec;
};

}  // namespace

// An entry of the catalog is shared without being owned; a scenario's owns its texts.
std::shared_ptr<const MetricSpec> DescribeMetric(std::string_view id) {
  if (const MetricSpec* known = FindMetric(id)) return {std::shared_ptr<void>(), known};
  const std::string_view name = tables::ScenarioOfMetric(id);
  if (name.empty()) return nullptr;
  const bool is_share = id.ends_with(".gain_share");
  auto entry = std::make_shared<ScenarioMetric>();
  entry->id = id;
  entry->title =
      fmt::format("{}: {}", name, is_share ? "predicted gain" : "predicted iteration time");
  // A change for the worse gains less than nothing.
  entry->spec = {
      entry->id,
      entry->title,
      is_share ? kShare : kTime,
      is_share ? ValueRange{tables::catalogue::kOfAnySign.least, 1} : tables::catalogue::kFromZero,
      kLowerIsBetter,
      kOther,
      tables::catalogue::kOfNothing,
      1,
      is_share ? "Share of the mean iteration time that the scenario would save."
               : "Mean iteration time that the scenario would leave.",
      "simulation with the recorded dependencies and the scenario's changes",
      tables::catalogue::kOurs};
  const MetricSpec* spec = &entry->spec;
  return {std::move(entry), spec};
}

}  // namespace profgauge::analysis
