#include "analysis/neuron.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace profgauge {
namespace {

constexpr std::string_view kNoGpu =
    "a NeuronCore has no such units; see engine.* and neuron.*";

// Prefixes of what only a GPU has.
constexpr std::string_view kGpuOnly[] = {
    "tensor_core.", "gpu.sm_efficiency", "gpu.occupancy",        "launch.", "kernel.",
    "sync.",        "coverage.",         "memcpy.pageable_share"};
constexpr std::string_view kGpuTables[] = {"tensor_core_ops", "launches"};

NeuronRank MakeRank(const RankContext& context, const Selection& selection) {
  NeuronRank rank;
  rank.context = &context;
  rank.data = context.profile->neuron.get();
  rank.whole = !selection.range;
  const Span window = rank.whole ? neuron::WholeWindow(*rank.data) : context.window();
  rank.total = rank.whole ? rank.data->total_time : window.length();
  const double stated = rank.data->SummaryNumber("total_time");
  rank.seconds = rank.whole && stated > 0 ? stated : static_cast<double>(rank.total) * 1e-9;
  rank.sums = neuron::Summarize(*rank.data, rank.strings(), window);
  return rank;
}

}  // namespace

void AddNeuron(std::span<const RankContext> ranks, const Selection& selection, Output& out) {
  std::vector<NeuronRank> found;
  for (const RankContext& rank : ranks) {
    if (rank.profile->neuron != nullptr) found.push_back(MakeRank(rank, selection));
  }
  if (found.empty()) return;
  for (const MetricSpec& spec : MetricCatalogue()) {
    for (const std::string_view prefix : kGpuOnly) {
      if (spec.id.starts_with(prefix)) out.SetAbsent(spec.id, std::string(kNoGpu));
    }
  }
  for (const std::string_view table : kGpuTables) {
    out.RemoveTable(table, std::string(kNoGpu));
  }
  AddNeuronMetrics(found, out);
  AddNeuronEngines(found, out);
  AddNeuronLayers(found, out);
  AddNeuronMoves(found, out);
  AddNeuronRows(found, selection.source_root, out);
  AddNeuronNotes(found, out);
}

}  // namespace profgauge
