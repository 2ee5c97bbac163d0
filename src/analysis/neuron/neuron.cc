#include "analysis/neuron/neuron.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/iterations/markers.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/parallel.h"
#include "knowledge/neuron.h"

namespace profgauge::analysis::neuron {
namespace {

constexpr std::string_view kNoGpu = "a NeuronCore has no such units; see engine.* and neuron.*";

// Sums of the whole profile are computed once and cached with the data; those of a range are
// computed here. `seconds` has the file's precision, because rates divide by it.
NeuronRank MakeRank(const iterations::RankContext& context, const Selection& selection) {
  NeuronRank rank;
  rank.context = &context;
  rank.data = context.profile->neuron.get();
  rank.whole = !selection.range;
  rank.total = rank.whole ? rank.data->total_time : context.window().length();
  const double stated = rank.data->SummaryNumber("total_time");
  rank.seconds = rank.whole && stated > 0 ? stated : static_cast<double>(rank.total) * 1e-9;
  rank.peak_cores = profgauge::neuron::PeakCores(*rank.data);
  rank.sums = rank.whole ? profgauge::neuron::SumWhole(*rank.data)->sums
                         : profgauge::neuron::Summarize(*rank.data, context.window());
  return rank;
}

// In a profile with almost no activity, shares of time or peak say nothing about the model.
void DoubtEmptyCapture(bool all_neuron, catalog::Output& out) {
  const Value& active = out.ValueOf(metric::kNeuronActiveShare);
  if (IsAbsent(active) || AsNumber(active, 0) >= knowledge::kNeuronActiveLeastShare) return;
  const std::string why =
      "the profile is almost empty (" + FormatValue(active, Unit::kShare) + " active)";
  for (const MetricId id : {metric::kNeuronMfu, metric::kNeuronMfuHlo, metric::kNeuronMfuInst,
                            metric::kNeuronHfu, metric::kNeuronMbu}) {
    out.MarkUncertain(id, why);
  }
  if (!all_neuron) return;
  out.AddRemark(std::string(iterations::kAlmostEmpty), why + ": start-up rather than work");
  for (const MetricId id : {metric::kGpuIdleMean, metric::kGpuIdleMax, metric::kGpuUtilizationMean,
                            metric::kGpuUtilizationMin}) {
    out.MarkUncertain(id, why);
  }
}

// A summary has no events, but contains the active share.
void SetStatedIdle(catalog::Output& out) {
  const Value& active = out.ValueOf(metric::kNeuronActiveShare);
  if (IsAbsent(active) || out.IsSet(metric::kGpuIdleMean)) return;
  for (const MetricId id : {metric::kGpuIdleMean, metric::kGpuIdleMax}) {
    out.Set(id, 1 - AsNumber(active, 0));
    out.SetNote(id, "1 − the active share that the file states");
  }
}

}  // namespace

void AddNeuron(std::span<const iterations::RankContext> ranks, const Selection& selection,
               catalog::Output& out) {
  std::vector<NeuronRank> found;
  for (const iterations::RankContext& rank : ranks) {
    if (rank.profile->neuron != nullptr) found.push_back(MakeRank(rank, selection));
  }
  if (found.empty()) return;
  out.SetLacking(&Basis::gpu_units, std::string(kNoGpu));
  AddNeuronMetrics(found, out);
  if (found.size() == ranks.size()) SetStatedIdle(out);
  DoubtEmptyCapture(found.size() == ranks.size(), out);
  // They are independent of each other, but not of the metrics above.
  const std::function<void(catalog::Output&)> parts[] = {
      [&](catalog::Output& part) { AddNeuronEngines(found, part); },
      [&](catalog::Output& part) { AddNeuronLayers(found, part); },
      [&](catalog::Output& part) { AddNeuronMoves(found, part); },
      [&](catalog::Output& part) { AddNeuronRows(found, selection.source_root, part); },
      [&](catalog::Output& part) { AddNeuronRegions(found, part); },
      [&](catalog::Output& part) { AddNeuronSbuf(found, part); },
      [&](catalog::Output& part) { AddNeuronNotes(found, part); },
  };
  std::vector<catalog::Output> results;
  for (std::size_t i = 0; i < std::size(parts); ++i) results.push_back(out.Beside());
  ForEachAtOnce(std::size(parts), [&](std::size_t i) { parts[i](results[i]); });
  for (catalog::Output& result : results) out.Join(std::move(result));
}

}  // namespace profgauge::analysis::neuron
