// The metric catalogue. Several ranks: counts and times are summed over ranks, shares are weighted
// by the time they are shares of; a definition says so where it is otherwise.
#include <fmt/format.h>

#include <deque>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/tables/catalogue_neuron.h"
#include "analysis/tables/catalogue_parts.h"
#include "analysis/tables/scenario_metrics.h"

namespace profgauge {
namespace {

using enum Unit;
using enum Direction;
using enum Pooling;

// Metrics that changed their meaning, by the start of their ids; all others have definition 1.
struct Redefined {
  std::string_view prefix;
  std::int32_t number;
};
constexpr Redefined kRedefined[] = {
    // Only work that the iterations launched counts; an iteration waits for work from before;
    // without iterations the window is where the device can be observed.
    {"profile.wall_time", 2},
    {"profile.kernel_time", 3},
    {"iteration.", 2},
    {"iteration.period.", 1},
    {"iteration.between_share", 1},
    // What a recording does not show at its edges is of no length, and no spread.
    {"iteration.time.", 3},
    // Each against those that launch as much, and without what inputs of changing size take, also
    // where copies alone tell it.
    {"iteration.time.robust_cv", 6},
    {"iteration.outliers", 6},
    {"iteration.drift", 3},
    // Kernels by which ROCm's runtime copies and sets are copies and sets; a DLProf report's I/O is
    // a part of its own.
    {"breakdown.", 3},
    // Operators beside a collective of the host hide it.
    {"breakdown.communication", 4},
    {"breakdown.cpu", 4},
    {"dataloader.", 2},
    // What lies between iterations counts.
    {"dataloader.exposed_share", 3},
    {"gpu.utilization.", 3},
    {"gpu.idle", 3},
    {"gpu.idle.time.", 1},
    // A long cudaFree sets a library up.
    {"gpu.idle_cause.module_loading", 4},
    {"gpu.idle_cause.memory_management", 4},
    {"gpu.sm_efficiency", 2},
    {"gpu.occupancy", 2},
    // Blocking copies are such calls, a profiler's own stop is none.
    {"sync.", 3},
    {"tensor_core.", 3},
    // Products of vectors and depthwise convolutions are not eligible.
    {"tensor_core.efficiency", 4},
    {"tensor_core.eligible_share", 4},
    // Of the GPUs with work, while they have it.
    {"gpu.measured.", 2},
    {"kernel.", 3},
    // Copies that ROCm makes by kernels are copies.
    {"memcpy.", 3},
    {"communication.", 3},
    {"flops.", 2},
    // What runs before and after the iterations does not count.
    {"coverage.linked_share", 2},
    {"coverage.launched_share", 2},
    // An iteration that is not selected is one all the same.
    {"coverage.outside_share", 2},
    // A call that launches a graph is one launch.
    {"launch.delay.median", 2},
    {"launch.queue_empty_share", 2},
};

}  // namespace

std::span<const MetricSpec> MetricCatalogue() {
  static const std::vector<MetricSpec> kAll = [] {
    std::vector<MetricSpec> all;
    for (const auto part :
         {TimeMetrics(), WorkMetrics(), PathMetrics(), RunMetrics(), NeuronMetrics()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    for (MetricSpec& spec : all) {
      for (const Redefined& redefined : kRedefined) {
        if (spec.id.starts_with(redefined.prefix)) spec.definition_number = redefined.number;
      }
      spec.basis = BasisOfMetric(spec).value_or(Basis{});
      spec.range = RangeOfMetric(spec);
    }
    return all;
  }();
  return kAll;
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

std::string_view ScenarioOfMetric(std::string_view id) {
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

// Entries for the scenarios that were asked for, made once each.
const MetricSpec* ScenarioMetric(std::string_view id) {
  const std::string_view name = ScenarioOfMetric(id);
  if (name.empty()) return nullptr;
  struct Entry {
    std::string id, title;
    MetricSpec spec;
  };
  static std::mutex mutex;
  static std::deque<Entry> entries;  // Never moves what is in it.
  const std::lock_guard lock(mutex);
  for (const Entry& entry : entries) {
    if (entry.id == id) return &entry.spec;
  }
  const bool is_share = id.ends_with(".gain_share");
  Entry& entry = entries.emplace_back();
  entry.id = id;
  entry.title =
      fmt::format("{}: {}", name, is_share ? "predicted gain" : "predicted iteration time");
  entry.spec = {entry.id,
                entry.title,
                is_share ? kShare : kTime,
                kLowerIsBetter,
                kOther,
                is_share ? "Share of the mean iteration time that the scenario would save."
                         : "Mean iteration time that the scenario would leave.",
                "replay of the recorded dependencies with the scenario's changes",
                catalogue::kOurs};
  entry.spec.range = RangeOfMetric(entry.spec);
  return &entry.spec;
}

}  // namespace

const MetricSpec* FindMetric(std::string_view id) {
  for (const MetricSpec& spec : MetricCatalogue()) {
    if (spec.id == id) return &spec;
  }
  return ScenarioMetric(id);
}

}  // namespace profgauge
