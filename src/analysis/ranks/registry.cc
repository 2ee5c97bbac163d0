#include "analysis/ranks/registry.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "analysis/breakdown/idle.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/device/copies.h"
#include "analysis/device/device_tables.h"
#include "analysis/device/launches.h"
#include "analysis/device/roofline.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/host/host.h"
#include "analysis/iterations/utilization.h"
#include "analysis/ops/iteration_ops.h"
#include "analysis/ops/modules.h"
#include "analysis/simulation/path_facts.h"
#include "analysis/trust/coverage.h"
#include "analysis/trust/host_slowdown.h"
#include "analysis/trust/unrecorded.h"

namespace profgauge::analysis::ranks {
namespace {

using Ranks = std::span<const iterations::RankContext>;

// Moves one member of each rank out of the run; each analysis does this once for its own.
template <class Facts>
std::vector<Facts> Take(SummarizedRun& run, Facts RankSummary::*part) {
  std::vector<Facts> all;
  for (RankSummary& rank : run.ranks) all.push_back(std::move(rank.*part));
  return all;
}

// An analysis of facts has one function for all runs:
//
//   events ──► kFactsOf(rank) ──┐
//                               ├──► facts of all ranks ──► kAdd ──► metrics, tables
//   summaries ──► kPart ────────┘
//
// An analysis with a row per event finds rows and facts in one pass. It has a separate function for
// events, which ends with the same kAdd.
template <auto kFactsOf, auto kAdd>
void OfEvents(Ranks ranks, catalog::Output& out) {
  std::vector<decltype(kFactsOf(ranks.front()))> facts;
  for (const iterations::RankContext& rank : ranks) facts.push_back(kFactsOf(rank));
  if constexpr (std::is_invocable_v<decltype(kAdd), decltype(facts)&, catalog::Output&>) {
    kAdd(facts, out);
  } else {
    kAdd(ranks, facts, out);
  }
}
// Like OfEvents(), for facts in summaries.
template <auto kPart, auto kAdd>
void OfSummaries(SummarizedRun& run, catalog::Output& out) {
  auto facts = Take(run, kPart);
  if constexpr (std::is_invocable_v<decltype(kAdd), decltype(facts), catalog::Output&>) {
    kAdd(std::move(facts), out);
  } else {
    kAdd(run.contexts, std::move(facts), out);
  }
}

// Like OfSummaries(); adds nothing if a summary has only some rows: tables would be incomplete.
template <auto kPart, auto kAdd>
void OfWholeSummaries(SummarizedRun& run, catalog::Output& out) {
  const auto facts = Take(run, kPart);
  if (std::ranges::all_of(facts, [](const auto& rank) { return rank.has_all; })) kAdd(facts, out);
}

// Both need the times of each category, which take long to compute, so this is done once.
void AddIterationsAndCommunication(Ranks ranks, catalog::Output& out) {
  communication::TimeFacts facts(ranks);
  const std::vector<breakdown::RunIteration> run =
      breakdown::AddIterations(ranks, facts.iterations, out);
  ops::AddIterationTree(ranks, run, out);
  communication::AddCommunication(facts.communication, out);
}

void AddCommunicationAlone(Ranks ranks, catalog::Output& out) {
  communication::TimeFacts facts(ranks);
  communication::AddCommunication(facts.communication, out);
}

// REQUIRES: the calls of `ranks` are matched.
void AddKeptPath(std::span<const communication::RankFacts> ranks,
                 const std::vector<simulation::PathFacts>& paths, catalog::Output& out) {
  std::vector<std::int64_t> numbers;
  bool knows_waiting = false;
  const auto transfer_of = [&](std::size_t rank, std::int64_t call) -> Ns {
    const std::vector<communication::CollectiveCall>& calls = ranks[rank].calls;
    if (call < 0 || static_cast<std::size_t>(call) >= calls.size()) return -1;
    return calls[static_cast<std::size_t>(call)].transfer;
  };
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!paths[i].why_not.empty()) return simulation::SetPathAbsent(paths[i].why_not, out);
    numbers.push_back(ranks[i].rank);
    for (const std::int64_t call : paths[i].device_calls) {
      knows_waiting = knows_waiting || (ranks.size() > 1 && transfer_of(i, call) >= 0);
    }
  }
  simulation::AddPath(
      numbers, paths, knows_waiting,
      [&](std::size_t rank, const simulation::PathCollective& collective) {
        return ranks.size() > 1 ? transfer_of(rank, collective.call) : -1;
      },
      out);
  // Waiting for other ranks adds slack, which needs their events.
  if (!knows_waiting) simulation::AddSlack(numbers, paths, out);
}

// Communication precedes the path, because matching calls determines the transfer times of the
// path's collectives.
void AddKeptIterations(SummarizedRun& run, catalog::Output& out) {
  breakdown::AddIterations(run.contexts, Take(run, &RankSummary::times), out);
  std::vector<communication::RankFacts> communication = Take(run, &RankSummary::communication);
  communication::AddCommunication(communication, out);
  AddKeptPath(communication, Take(run, &RankSummary::path), out);
}

// Counts first: the analysis of copies then sets why copies are unknown.
void AddCountsAndCopies(Ranks ranks, catalog::Output& out) {
  OfEvents<ops::CountFactsOf, ops::AddCounts>(ranks, out);
  OfEvents<device::CopyFactsOf, device::AddCopies>(ranks, out);
}

void AddKeptCountsAndCopies(SummarizedRun& run, catalog::Output& out) {
  OfSummaries<&RankSummary::counts, ops::AddCounts>(run, out);
  OfSummaries<&RankSummary::copies, device::AddCopies>(run, out);
}

void AddKeptOps(SummarizedRun& run, catalog::Output& out) { std::move(run.ops).AddTables(out); }

void AddKeptUtilization(SummarizedRun& run, catalog::Output& out) {
  iterations::AddUtilization(run.contexts, out);
}

constexpr AnalysisRow::OfRanks kCalls = OfEvents<host::CallFactsOf, host::AddHostCalls>,
                               kRoofline = OfEvents<device::RooflineFactsOf, device::AddRoofline>,
                               kTensorCores =
                                   OfEvents<device::TensorCoreFactsOf, device::AddTensorCores>,
                               kCopies = OfEvents<device::CopyFactsOf, device::AddCopies>,
                               kModules = OfEvents<ops::ModuleFactsOf, ops::AddModules>,
                               kRanges = OfEvents<ops::RangeFactsOf, ops::AddRanges>,
                               kCoverage = OfEvents<trust::CoverageFactsOf, trust::AddCoverage>;

// The table of launches is by far the largest, so it comes after analyses that temporarily need
// much memory.
constexpr AnalysisRow kAnalyses[] = {
    {"iterations and communication", Stage::kExposed, AddIterationsAndCommunication,
     AddCommunicationAlone, AddKeptIterations},
    {"memory", Stage::kExposed, device::AddMemory, device::AddMemory,
     OfSummaries<&RankSummary::memory, device::SetMemoryMetrics>},
    {"ops", Stage::kExposed, ops::AddOpTables, ops::AddOpTables, AddKeptOps, true},
    {"kernels", Stage::kExposed, device::AddKernels, device::AddKernels,
     OfSummaries<&RankSummary::kernels, device::AddKernelSums>, true},
    {"host calls", Stage::kExposed, kCalls, kCalls,
     OfSummaries<&RankSummary::calls, host::AddHostCalls>, true},
    {"roofline", Stage::kExposed, kRoofline, kRoofline,
     OfSummaries<&RankSummary::roofline, device::AddRoofline>, true},
    {"Tensor Cores", Stage::kExposed, kTensorCores, kTensorCores,
     OfSummaries<&RankSummary::tensor_cores, device::AddTensorCores>, true},
    {"counts and copies", Stage::kExposed, AddCountsAndCopies, kCopies, AddKeptCountsAndCopies,
     true},
    {"idle", Stage::kOther, breakdown::AddIdle, nullptr,
     OfSummaries<&RankSummary::idle, breakdown::SetIdleCauses>, true},
    {"device tables", Stage::kOther, device::AddDeviceTables, device::AddDeviceTables, nullptr,
     true},
    {"launches", Stage::kOther, device::AddLaunches, device::AddKernelCalls,
     OfSummaries<&RankSummary::launches, device::SetLaunchMetrics>},
    {"iteration ops", Stage::kOther, ops::AddIterationOps, nullptr, nullptr, true},
    {"utilization", Stage::kOther, iterations::AddUtilization, nullptr, AddKeptUtilization},
    {"modules", Stage::kOther, kModules, nullptr,
     OfWholeSummaries<&RankSummary::modules, ops::AddModules>},
    {"ranges", Stage::kOther, kRanges, nullptr,
     OfWholeSummaries<&RankSummary::ranges, ops::AddRanges>},
    {"os runtime", Stage::kOther, host::AddOsRuntime, host::AddOsRuntime},
    {"cpu activity", Stage::kOther, host::AddCpuActivity, host::AddCpuActivity},
    {"coverage", Stage::kOther, kCoverage, kCoverage,
     OfSummaries<&RankSummary::coverage, trust::AddCoverage>},
};

}  // namespace

std::span<const AnalysisRow> Analyses() { return kAnalyses; }

std::shared_ptr<const trust::JudgedSteps> MarkRun(std::span<const iterations::RankContext> ranks,
                                                  std::span<const trust::EdgeFacts> edges,
                                                  catalog::Output& out) {
  trust::AddEdges(ranks, edges, out);
  auto steps = trust::AddUnrecorded(ranks, out);
  trust::BoundByProfiler(steps.get(), out);
  trust::AddConditions(ranks, out);
  trust::MarkLosses(ranks, out);
  trust::BoundByWholeGraphs(ranks, out);
  return steps;
}

}  // namespace profgauge::analysis::ranks
