#include "analysis/summary/analyze_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/communication/communication.h"
#include "analysis/context/utilization.h"
#include "analysis/recording/certify.h"
#include "analysis/recording/conditions.h"
#include "analysis/recording/losses.h"
#include "analysis/recording/reported.h"
#include "analysis/recording/unrecorded.h"
#include "analysis/recording/whole_graphs.h"
#include "analysis/summary/rank_summary.h"
#include "analysis/summary/read_ranks.h"
#include "analysis/tables/output.h"
#include "analysis/time/run_iterations.h"
#include "model/known_devices.h"

namespace profgauge {
namespace {

constexpr std::string_view kNotKept =
    "summaries do not contain it; pass the profiles of the ranks instead";

/// The words point into `summary`.
std::vector<RecordingHint> HintsOf(const Summary& summary) {
  const auto& capabilities = summary.Numbers("hint.capability");
  const auto& words = summary.Texts("hint.how");
  std::vector<RecordingHint> hints;
  for (std::size_t i = 0; i < std::min(capabilities.size(), words.size()); ++i) {
    hints.push_back({static_cast<Capability>(capabilities[i]), words[i]});
  }
  return hints;
}

/// `is_told`: what the summaries keep follows.
void SetNotKept(bool is_told, Output& out) {
  for (const MetricId id : metric::kAll) {
    if (SpecOf(id).basis.events || !is_told) out.SetAbsent(id, std::string(kNotKept));
  }
  for (const TableSpec& spec : TableCatalogue()) {
    out.SetTableAbsent(spec.id, std::string(kNotKept));
  }
}

/// What files state themselves is in profiles where nothing follows from events.
void SetStatedNotKept(std::span<const RankSummary> ranks, Output& out) {
  for (const RankSummary& rank : ranks) {
    for (const std::string& id : rank.stated) {
      const std::optional<MetricId> metric = FindMetricId(id);
      if (metric && !out.IsSet(*metric)) out.SetAbsent(*metric, std::string(kNotKept));
      if (FindTable(id) == nullptr || (out.HasRows(id) && !IsOfRecorder(id))) continue;
      out.RemoveTable(id, std::string(kNotKept));
    }
  }
}

/// `ranks` have their calls matched.
void AddCriticalPath(std::span<const RankFacts> ranks, const std::vector<PathFacts>& paths,
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

template <class Facts>
std::vector<Facts> Take(std::vector<RankSummary>& ranks, Facts RankSummary::*part) {
  std::vector<Facts> all;
  for (RankSummary& rank : ranks) all.push_back(std::move(rank.*part));
  return all;
}

template <class Facts>
bool HaveAll(const std::vector<Facts>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [](const Facts& rank) { return rank.has_all; });
}

void AddTrees(std::vector<ModuleFacts> modules, std::vector<RangeFacts> ranges, Output& out) {
  if (HaveAll(modules)) AddModules(modules, out);
  if (HaveAll(ranges)) AddRanges(ranges, out);
}

/// What follows from the facts of all ranks, which are taken.
std::shared_ptr<const JudgedSteps> AddAll(std::span<const RankContext> contexts,
                                          std::vector<RankSummary>& ranks, OpPool ops,
                                          TablePool tables, Output& out) {
  AddIterations(contexts, Take(ranks, &RankSummary::times), out);
  AddUtilization(contexts, out);
  SetIdleCauses(Take(ranks, &RankSummary::idle), out);
  AddCounts(Take(ranks, &RankSummary::counts), out);
  std::move(ops).AddTables(out);
  AddTrees(Take(ranks, &RankSummary::modules), Take(ranks, &RankSummary::ranges), out);
  AddKernels(Take(ranks, &RankSummary::kernels), out);
  AddTensorCores(contexts, Take(ranks, &RankSummary::tensor_cores), out);
  AddRoofline(contexts, Take(ranks, &RankSummary::roofline), out);
  AddCopies(contexts, Take(ranks, &RankSummary::copies), out);
  AddHostCalls(Take(ranks, &RankSummary::calls), out);
  std::vector<RankFacts> communication = Take(ranks, &RankSummary::communication);
  AddCommunication(communication, out);
  SetMemoryMetrics(contexts, Take(ranks, &RankSummary::memory), out);
  AddCoverage(contexts, Take(ranks, &RankSummary::coverage), out);
  AddCriticalPath(communication, Take(ranks, &RankSummary::path), out);
  std::move(tables).AddTables(out);
  SetLaunchMetrics(Take(ranks, &RankSummary::launches), out);
  AddEdges(contexts, Take(ranks, &RankSummary::edges), out);
  auto steps = AddUnrecorded(contexts, out);
  AddConditions(contexts, out);
  MarkLosses(contexts, out);
  BoundByWholeGraphs(contexts, out);
  MarkLostNames(contexts, out);
  return steps;
}

}  // namespace

Result<std::vector<Summary>> SummarizeRanks(std::span<const Profile> ranks,
                                            const Selection& selection) {
  PROFGAUGE_TRY(const std::vector<RankContext> contexts, BuildRankContexts(ranks, selection));
  std::vector<Summary> summaries;
  for (const RankContext& context : contexts) {
    summaries.push_back(Summarize(context, selection));
  }
  return summaries;
}

Result<Analysis> AnalyzeRun(std::span<const Profile> profiles, const Selection& selection) {
  PROFGAUGE_TRY(const Summary first, SummaryFor(profiles.front(), selection));
  const std::vector<RecordingHint> hints = HintsOf(first);
  Output out(hints, AcceleratorOf(profiles));
  std::vector<RankSummary> all;
  OpPool ops;
  const auto strings = std::make_shared<StringPool>();
  TablePool tables(strings);
  std::vector<RankExposures> exposures;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    Summary other;  // Goes as soon as it is read.
    if (i > 0) {
      PROFGAUGE_TRY(other, SummaryFor(profiles[i], selection));
    }
    PROFGAUGE_TRY(RankSummary rank,
                  ReadRank(i == 0 ? first : other, profiles[i].source.path, i, selection, strings));
    // The largest parts of many ranks: put together at once.
    if (IsChosen(rank, selection.rank)) {
      ops.Add(rank.ops, out.strings());
      tables.Add(rank.communication.rank, rank.tables);
    }
    if (IsChosen(rank, selection.rank)) {
      exposures.push_back({rank.communication.rank, std::move(rank.tables.exposures)});
    }
    rank.ops = {};
    rank.tables = {};
    all.push_back(std::move(rank));
  }
  PROFGAUGE_TRY(std::vector<RankSummary> ranks, Chosen(std::move(all), selection.rank));

  const std::vector<RankContext> contexts = ContextsOf(ranks, selection.knowledge);
  const bool is_told =
      std::all_of(ranks.begin(), ranks.end(), [](const RankSummary& rank) { return rank.is_told; });
  SetNotKept(is_told, out);
  std::shared_ptr<const JudgedSteps> steps;
  if (is_told) {
    steps = AddAll(contexts, ranks, std::move(ops), std::move(tables), out);
    AddKeptExposures(exposures, out);
  }
  SetStatedNotKept(ranks, out);

  Analysis analysis;
  out.MoveTo(analysis);
  analysis.steps = std::move(steps);
  analysis.not_kept = kNotKept;
  for (const Table& table : analysis.tables) {
    if (!table.columns().empty()) analysis.absent_tables.erase(std::string(table.id()));
  }
  SetExtent(contexts, analysis);
  analysis.certificate = CertifyRun(contexts, analysis);
  return analysis;
}

}  // namespace profgauge
