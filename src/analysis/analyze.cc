// Analyze(): prepares the contexts of all ranks, then runs every analysis in order.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/breakdown/attribution.h"
#include "analysis/breakdown/marks.h"
#include "analysis/breakdown/rank_attribution.h"
#include "analysis/breakdown/row_exposures.h"
#include "analysis/breakdown/run_attribution.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/output.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/dlprof/op_paths.h"
#include "analysis/iterations/context.h"
#include "analysis/neuron/neuron.h"
#include "analysis/ranks/analyze_run.h"
#include "analysis/ranks/registry.h"
#include "analysis/replay.h"
#include "analysis/simulation/replayer.h"
#include "analysis/trust/certify.h"
#include "analysis/trust/coverage.h"
#include "analysis/trust/unrecorded.h"
#include "base/metric_id.h"
#include "base/parallel.h"
#include "model/run_side.h"
#include "model/summary/summary.h"

namespace profgauge::analysis {
namespace {

constexpr std::string_view kNoTimeline =
    "needs the times of events: this format has only durations or sums";

void AddWithoutTimeline(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  const std::string& own = ranks.front().profile->no_timeline_because;
  std::string why = own.empty() ? std::string(kNoTimeline) : own;
  const std::string how =
      own.empty() ? out.HowToRecord(Capability::kDeviceEvents, "") : std::string();
  if (!how.empty()) why += "; " + how;
  out.SetLacking(&Basis::times, why);
  breakdown::SetRecording(ranks, out);
}

// Runs all analyses of a stage, and `first`, in parallel. Their results join `out` in list order
// after all have ended.
void AddAtOnce(ranks::Stage stage, std::span<const iterations::RankContext> ranks,
               const std::function<void()>& first, catalog::Output& out) {
  std::vector<const ranks::AnalysisRow*> rows;
  std::vector<catalog::Output> found;
  for (const ranks::AnalysisRow& row : ranks::Analyses()) {
    if (row.stage != stage) continue;
    rows.push_back(&row);
    found.push_back(out.Beside());
  }
  ForEachAtOnce(1 + rows.size(), [&](std::size_t i) {
    if (i == 0) {
      first();
    } else {
      rows[i - 1]->of_events(ranks, found[i - 1]);
    }
  });
  for (catalog::Output& part : found) out.Join(std::move(part));
}

RankTime TimeOf(const iterations::RankContext& rank) {
  RankTime out{rank.rank, {}, rank.unobserved};
  for (std::size_t i = rank.iterations.first; i < rank.iterations.last; ++i) {
    const auto number = communication::NumberOfIteration(rank, static_cast<std::uint32_t>(i));
    out.iterations.emplace_back(number, rank.iterations.all[i].time);
  }
  return out;
}

// Adds the few tables that need sums but no times.
void AddTablesOfSums(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  AddWithoutTimeline(ranks, out);
  for (const ranks::AnalysisRow& row : ranks::Analyses()) {
    if (row.of_sums != nullptr) row.of_sums(ranks, out);
  }
}

}  // namespace

// The stages, and the results of earlier stages that each needs:
//
//   contexts and graphs        in parallel: graphs need nothing that MeasureContexts() adds
//   stage kExposed, paths      in parallel, each into its own Output, joined in the list's order
//   stage kOther, exposures    the same; exposures are about rows of the first stage
//   critical path              needs roofline, gaps and the straggler of the stages before
//   marks                      doubts and bounds of values that are set by now
//   Neuron, regions, op paths  additions for some kinds of profiles
//   reported                   fills values that are still absent
//   certificate                reads the finished analysis
//
// A run that contains a summary takes AnalyzeRun() instead, also for its profiles.
Result<Replayable> AnalyzeForReplay(std::span<const Profile> profiles, const Selection& selection) {
  if (std::any_of(profiles.begin(), profiles.end(), IsSummary)) {
    Replayable result;
    PROFGAUGE_TRY(result.analysis, ranks::AnalyzeRun(profiles, selection));
    return result;
  }
  PROFGAUGE_TRY(std::vector<iterations::RankContext> contexts,
                iterations::FindRankContexts(profiles, selection));
  const auto kept = std::make_shared<std::vector<iterations::RankContext>>(std::move(contexts));
  const std::vector<iterations::RankContext>& ranks = *kept;
  simulation::PathGraphs graphs;
  iterations::MeasureContexts(*kept, [&] { graphs = simulation::BuildGraphs(ranks); });
  const bool has_timeline = std::all_of(profiles.begin(), profiles.end(),
                                        [](const Profile& p) { return p.has_timeline; });
  catalog::Output out(ranks.front().profile->hints, AcceleratorOf(profiles),
                      selection.unwanted_tables);
  std::shared_ptr<simulation::Replayer> replayer;
  std::vector<simulation::PathFacts> paths;
  const auto find_paths = [&] {
    replayer = std::make_shared<simulation::Replayer>(kept, std::move(graphs));
    paths = simulation::PathFactsOf(*replayer, out);
  };
  if (has_timeline) {
    AddAtOnce(ranks::Stage::kExposed, ranks, find_paths, out);
    AddAtOnce(
        ranks::Stage::kOther, ranks, [&] { breakdown::AddExposures(ranks, out); }, out);
  } else {
    AddTablesOfSums(ranks, out);
    find_paths();
  }
  replayer->SetTargets(simulation::LaunchTargetsOf(out, ranks.size()));
  replayer->SetGaps(simulation::HostGapsOf(ranks, out));
  replayer->SetStraggler(simulation::StragglerOf(out));
  simulation::AddCriticalPath(*replayer, paths, out);
  std::shared_ptr<const trust::JudgedSteps> steps;
  if (has_timeline) {
    std::vector<trust::EdgeFacts> edges;
    for (const iterations::RankContext& rank : ranks) edges.push_back(trust::EdgeFactsOf(rank));
    steps = ranks::MarkRun(ranks, edges, out);
  } else {
    steps = trust::AddUnrecorded(ranks, out);
  }
  trust::MarkLostNames(ranks, out);
  neuron::AddNeuron(ranks, selection, out);
  breakdown::AddRegions(ranks, selection, out);
  dlprof::AddOpPaths(ranks, out);
  trust::AddSideResults(ranks, steps.get(), out);
  trust::AddReported(ranks, selection.range.has_value(), out);

  for (iterations::RankContext& rank :
       *kept) {  // Simulations need much memory and do not use these.
    rank.tree = {};
    rank.works = {};
    rank.exposed = {};
    rank.waits = {};
  }

  Replayable result;
  Analysis& analysis = result.analysis;
  out.MoveTo(analysis);
  for (const iterations::RankContext& rank : ranks) analysis.rank_times.push_back(TimeOf(rank));
  analysis.steps = std::move(steps);
  if (replayer->can_replay()) result.replayer = replayer;
  const auto certify = [&] {
    // No events were recorded that could be complete.
    const auto is_of_times = [](const iterations::RankContext& rank) {
      return IsOfTimes(*rank.profile);
    };
    if (std::all_of(ranks.begin(), ranks.end(), is_of_times)) return;
    analysis.certificate = trust::CertifyRun(ranks, analysis);
  };
  if (!has_timeline) {
    analysis.iteration_source = {IterationsBy::kNoTimeline};
    const Metric* stated = analysis.Find(metric::kProfileIterations);
    if (stated != nullptr && !IsAbsent(stated->value)) {
      analysis.iterations_selected = static_cast<std::int64_t>(AsNumber(stated->value, 0));
      analysis.iterations_total =
          std::max(analysis.iterations_selected, ranks.front().profile->reported.iterations.total);
    }
    certify();
    return result;
  }
  breakdown::SetExtent(ranks, analysis);
  certify();
  return result;
}

Result<Analysis> Analyze(std::span<const Profile> profiles, const Selection& selection) {
  PROFGAUGE_TRY(Replayable result, AnalyzeForReplay(profiles, selection));
  return std::move(result.analysis);
}

// AttributeTime(): first each rank, then the run.

Result<breakdown::Attribution> breakdown::AttributeTime(std::span<const Profile> profiles,
                                                        const Selection& selection) {
  if (std::any_of(profiles.begin(), profiles.end(), IsSummary)) {
    return ranks::AttributeRun(profiles, selection);
  }
  PROFGAUGE_TRY(const std::vector<iterations::RankContext> ranks,
                iterations::BuildRankContexts(profiles, selection));
  std::vector<breakdown::IterationFacts> facts;
  for (const iterations::RankContext& rank : ranks) {
    facts.push_back(breakdown::IterationFactsOf(rank, breakdown::CategoryTimesOf(rank, {})));
  }
  breakdown::RunAttribution run(
      breakdown::PoolIterations(ranks, facts),
      std::any_of(ranks.begin(), ranks.end(),
                  [](const iterations::RankContext& rank) { return rank.has_device(); }));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::vector<bool> is_own = run.OwnIterations(i, ranks[i].iterations);
    run.AddRank(i, ranks[i].iterations, ranks::WholeAttributionOf(ranks[i], is_own));
  }
  return run.Take();
}

}  // namespace profgauge::analysis
