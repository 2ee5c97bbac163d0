#include "analysis/summary/registry.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "analysis/communication/communication.h"
#include "analysis/context/utilization.h"
#include "analysis/device/copies.h"
#include "analysis/device/device_tables.h"
#include "analysis/device/launches.h"
#include "analysis/device/roofline.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/host/host.h"
#include "analysis/ops/iteration_ops.h"
#include "analysis/ops/modules.h"
#include "analysis/path/path_facts.h"
#include "analysis/recording/coverage.h"
#include "analysis/recording/unrecorded.h"
#include "analysis/time/idle.h"
#include "analysis/time/run_iterations.h"

namespace profgauge {
namespace {

using Ranks = std::span<const RankContext>;

// Moves one part of each rank out of the run: each analysis takes its own, once.
template <class Facts>
std::vector<Facts> Take(SummarizedRun& run, Facts RankSummary::*part) {
  std::vector<Facts> all;
  for (RankSummary& rank : run.ranks) all.push_back(std::move(rank.*part));
  return all;
}

// An analysis over facts is one function for all runs:
//
//   events ──► kFactsOf(rank) ──┐
//                               ├──► facts of all ranks ──► kAdd ──► metrics, tables
//   summaries ──► kPart ────────┘
//
// What has a row for each event as well finds rows and facts in one pass, and has a function of its
// own for events, which ends in the same kAdd.
template <auto kFactsOf, auto kAdd>
void OfEvents(Ranks ranks, Output& out) {
  std::vector<decltype(kFactsOf(ranks.front()))> facts;
  for (const RankContext& rank : ranks) facts.push_back(kFactsOf(rank));
  if constexpr (std::is_invocable_v<decltype(kAdd), decltype(facts)&, Output&>) {
    kAdd(facts, out);
  } else {
    kAdd(ranks, facts, out);
  }
}
// And here from what summaries kept.
template <auto kPart, auto kAdd>
void OfSummaries(SummarizedRun& run, Output& out) {
  auto facts = Take(run, kPart);
  if constexpr (std::is_invocable_v<decltype(kAdd), decltype(facts), Output&>) {
    kAdd(std::move(facts), out);
  } else {
    kAdd(run.contexts, std::move(facts), out);
  }
}

// The same where summaries that cut their rows have too little for the tables.
template <auto kPart, auto kAdd>
void OfWholeSummaries(SummarizedRun& run, Output& out) {
  const auto facts = Take(run, kPart);
  if (std::ranges::all_of(facts, [](const auto& rank) { return rank.has_all; })) kAdd(facts, out);
}

// Both need when each category is active, which takes long to find: once.
void AddIterationsAndCommunication(Ranks ranks, Output& out) {
  TimeFacts facts(ranks);
  const std::vector<RunIteration> run = AddIterations(ranks, facts.iterations, out);
  AddIterationTree(ranks, run, out);
  AddCommunication(facts.communication, out);
}

void AddCommunicationAlone(Ranks ranks, Output& out) {
  TimeFacts facts(ranks);
  AddCommunication(facts.communication, out);
}

// `ranks` have their calls matched.
void AddKeptPath(std::span<const RankFacts> ranks, const std::vector<PathFacts>& paths,
                 Output& out) {
  std::vector<std::int64_t> numbers;
  bool knows_waiting = false;
  const auto transfer_of = [&](std::size_t rank, std::int64_t call) -> Ns {
    const std::vector<CollectiveCall>& calls = ranks[rank].calls;
    if (call < 0 || static_cast<std::size_t>(call) >= calls.size()) return -1;
    return calls[static_cast<std::size_t>(call)].transfer;
  };
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!paths[i].why_not.empty()) return SetPathAbsent(paths[i].why_not, out);
    numbers.push_back(ranks[i].rank);
    for (const std::int64_t call : paths[i].device_calls) {
      knows_waiting = knows_waiting || (ranks.size() > 1 && transfer_of(i, call) >= 0);
    }
  }
  AddPath(
      numbers, paths, knows_waiting,
      [&](std::size_t rank, const PathCollective& collective) {
        return ranks.size() > 1 ? transfer_of(rank, collective.call) : -1;
      },
      out);
  // Who waits for whom gives room to all: that needs their events.
  if (!knows_waiting) AddSlack(numbers, paths, out);
}

// Communication comes before the path, since it matches calls: only then is the transfer of the
// path's collectives known.
void AddKeptIterations(SummarizedRun& run, Output& out) {
  AddIterations(run.contexts, Take(run, &RankSummary::times), out);
  std::vector<RankFacts> communication = Take(run, &RankSummary::communication);
  AddCommunication(communication, out);
  AddKeptPath(communication, Take(run, &RankSummary::path), out);
}

// Counts of copies first: why they are unknown is for the copies to say.
void AddCountsAndCopies(Ranks ranks, Output& out) {
  OfEvents<CountFactsOf, AddCounts>(ranks, out);
  OfEvents<CopyFactsOf, AddCopies>(ranks, out);
}

void AddKeptCountsAndCopies(SummarizedRun& run, Output& out) {
  OfSummaries<&RankSummary::counts, AddCounts>(run, out);
  OfSummaries<&RankSummary::copies, AddCopies>(run, out);
}

void AddKeptOps(SummarizedRun& run, Output& out) { std::move(run.ops).AddTables(out); }

void AddKeptUtilization(SummarizedRun& run, Output& out) { AddUtilization(run.contexts, out); }

constexpr AnalysisRow::OfRanks kCalls = OfEvents<CallFactsOf, AddHostCalls>,
                               kRoofline = OfEvents<RooflineFactsOf, AddRoofline>,
                               kTensorCores = OfEvents<TensorCoreFactsOf, AddTensorCores>,
                               kCopies = OfEvents<CopyFactsOf, AddCopies>,
                               kModules = OfEvents<ModuleFactsOf, AddModules>,
                               kRanges = OfEvents<RangeFactsOf, AddRanges>,
                               kCoverage = OfEvents<CoverageFactsOf, AddCoverage>;

// Launches are by far the largest table: they come after the analyses that need much memory for a
// while.
constexpr AnalysisRow kAnalyses[] = {
    {"iterations and communication", Stage::kExposed, AddIterationsAndCommunication,
     AddCommunicationAlone, AddKeptIterations},
    {"memory", Stage::kExposed, AddMemory, AddMemory,
     OfSummaries<&RankSummary::memory, SetMemoryMetrics>},
    {"ops", Stage::kExposed, AddOpTables, AddOpTables, AddKeptOps, true},
    {"kernels", Stage::kExposed, AddKernels, AddKernels,
     OfSummaries<&RankSummary::kernels, AddKernelSums>, true},
    {"host calls", Stage::kExposed, kCalls, kCalls, OfSummaries<&RankSummary::calls, AddHostCalls>,
     true},
    {"roofline", Stage::kExposed, kRoofline, kRoofline,
     OfSummaries<&RankSummary::roofline, AddRoofline>, true},
    {"Tensor Cores", Stage::kExposed, kTensorCores, kTensorCores,
     OfSummaries<&RankSummary::tensor_cores, AddTensorCores>, true},
    {"counts and copies", Stage::kExposed, AddCountsAndCopies, kCopies, AddKeptCountsAndCopies,
     true},
    {"idle", Stage::kOther, AddIdle, nullptr, OfSummaries<&RankSummary::idle, SetIdleCauses>, true},
    {"device tables", Stage::kOther, AddDeviceTables, AddDeviceTables, nullptr, true},
    {"launches", Stage::kOther, AddLaunches, nullptr,
     OfSummaries<&RankSummary::launches, SetLaunchMetrics>},
    {"iteration ops", Stage::kOther, AddIterationOps, nullptr, nullptr, true},
    {"utilization", Stage::kOther, AddUtilization, nullptr, AddKeptUtilization},
    {"modules", Stage::kOther, kModules, nullptr,
     OfWholeSummaries<&RankSummary::modules, AddModules>},
    {"ranges", Stage::kOther, kRanges, nullptr, OfWholeSummaries<&RankSummary::ranges, AddRanges>},
    {"os runtime", Stage::kOther, AddOsRuntime, AddOsRuntime},
    {"cpu activity", Stage::kOther, AddCpuActivity, AddCpuActivity},
    {"coverage", Stage::kOther, kCoverage, kCoverage,
     OfSummaries<&RankSummary::coverage, AddCoverage>},
};

}  // namespace

std::span<const AnalysisRow> Analyses() { return kAnalyses; }

std::shared_ptr<const JudgedSteps> MarkRun(std::span<const RankContext> ranks,
                                           std::span<const EdgeFacts> edges, Output& out) {
  AddEdges(ranks, edges, out);
  auto steps = AddUnrecorded(ranks, out);
  AddConditions(ranks, out);
  MarkLosses(ranks, out);
  BoundByWholeGraphs(ranks, out);
  return steps;
}

}  // namespace profgauge
