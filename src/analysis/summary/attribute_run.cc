#include "analysis/summary/attribute_run.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/communication/collective_work.h"
#include "analysis/context/context.h"
#include "analysis/ops/modules.h"
#include "analysis/path/critical_path.h"
#include "analysis/path/graph.h"
#include "analysis/summary/rank_summary.h"
#include "analysis/summary/read_ranks.h"
#include "analysis/time/category_times.h"
#include "analysis/time/rank_attribution.h"
#include "analysis/time/run_attribution.h"
#include "analysis/time/run_iterations.h"

namespace profgauge {
namespace {

Error NothingKept(const std::string& path) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = "summary/no-events";
  error.message =
      "the summary has no numbers to compare: its profile has no times of events, or is of a "
      "NeuronCore";
  error.where.file = path;
  error.notes.emplace_back("help: pass the profile from which the summary was made");
  return error;
}

/// Its iterations and the ranks that they belong to: the only data kept of many ranks
/// simultaneously.
RankSummary Kept(RankSummary rank) {
  RankSummary kept;
  kept.profile = std::move(rank.profile);
  kept.iterations = std::move(rank.iterations);
  kept.communication.rank = rank.communication.rank;
  kept.communication.steps = std::move(rank.communication.steps);
  kept.times.has_device = rank.times.has_device;
  kept.times.parts = std::move(rank.times.parts);
  return kept;
}

void AddSum(MetricId id, std::span<const Ns> times, std::vector<NameWork>& sums) {
  NameWork sum;
  sum.name = id.text();
  for (std::size_t i = 0; i < times.size(); ++i) {
    sum.gpu_time += times[i];
    if (times[i] > 0) sum.series.emplace_back(static_cast<std::int64_t>(i), times[i]);
  }
  if (sum.gpu_time > 0) sums.push_back(std::move(sum));
}

// Transfer and waiting need several ranks.
void AddPathSums(const RankContext& rank, std::vector<NameWork>& sums) {
  const auto graph = PathGraph::Build(rank);
  if (!graph) return;
  const std::vector<PathSums> path = PathSumsByIteration(*graph);
  std::vector<Ns> times(path.size());
  for (const PathKind kind :
       {PathKind::kHost, PathKind::kLaunch, PathKind::kKernel, PathKind::kCopy,
        PathKind::kDataLoader, PathKind::kSync, PathKind::kUnknown}) {
    for (std::size_t i = 0; i < path.size(); ++i)
      times[i] = path[i][static_cast<std::size_t>(kind)];
    AddSum(InfoOf(kind).metrics.time, times, sums);
  }
}

}  // namespace

AttributionFacts WholeAttributionOf(const RankContext& rank, const std::vector<bool>& is_wanted) {
  AttributionFacts facts = AttributionFactsOf(rank, is_wanted);
  facts.work.collectives = CollectiveWorkOf(rank);
  facts.work.modules = ModuleWorkOf(rank);
  if (rank.iterations.is_whole) return facts;
  std::vector<NameWork>& sums = facts.work.sums;
  AddSum(metric::kCommunicationTime, CommunicationByIteration(rank), sums);
  AddSum(metric::kDataloaderExposedTime, LoadingByIteration(rank), sums);
  AddPathSums(rank, sums);
  return facts;
}

Result<Attribution> AttributeRun(std::span<const Profile> profiles, const Selection& selection) {
  // Recordings among them are summarized once.
  std::vector<Profile> made(profiles.size());
  std::vector<RankSummary> all;
  const auto strings = std::make_shared<StringPool>();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const std::string& path = profiles[i].source.path;
    PROFGAUGE_TRY(const Summary summary, SummaryFor(profiles[i], selection));
    if (!IsSummary(profiles[i])) made[i] = ProfileOfSummary(summary, path);
    PROFGAUGE_TRY(RankSummary rank, ReadRank(summary, path, i, selection, strings));
    if (!rank.is_told) return Fail(NothingKept(path));
    all.push_back(Kept(std::move(rank)));
    all.back().position = i;
  }
  PROFGAUGE_TRY(const std::vector<RankSummary> ranks, Chosen(std::move(all), selection.rank));
  const std::vector<RankContext> contexts = ContextsOf(ranks, selection.knowledge);
  std::vector<IterationFacts> facts;
  for (const RankSummary& rank : ranks) facts.push_back(rank.times);
  RunAttribution run(PoolIterations(contexts, facts),
                     std::any_of(ranks.begin(), ranks.end(),
                                 [](const RankSummary& rank) { return rank.times.has_device; }));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t at = ranks[i].position;
    const Profile& profile = IsSummary(profiles[at]) ? profiles[at] : made[at];
    const auto summary = SummaryOf(profile);
    const auto facts =
        summary ? ReadAttribution(*summary, ranks[i].iterations.selected().size()) : std::nullopt;
    if (!facts) return Fail(UnreadableSummary(profile.source.path));
    run.AddRank(i, ranks[i].iterations, *facts);
  }
  return run.Take();
}

}  // namespace profgauge
