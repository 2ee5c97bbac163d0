// Analyze(): the contexts of all ranks, then every analysis in turn.
#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/communication/communication.h"
#include "analysis/context/context.h"
#include "analysis/context/utilization.h"
#include "analysis/device/copies.h"
#include "analysis/device/device_tables.h"
#include "analysis/device/kernels.h"
#include "analysis/device/launches.h"
#include "analysis/device/memory.h"
#include "analysis/device/roofline.h"
#include "analysis/device/tensor_cores.h"
#include "analysis/host/cpu_activity.h"
#include "analysis/host/host_calls.h"
#include "analysis/host/os_runtime.h"
#include "analysis/neuron/neuron.h"
#include "analysis/ops/counts.h"
#include "analysis/ops/iteration_ops.h"
#include "analysis/ops/iteration_tree.h"
#include "analysis/ops/modules.h"
#include "analysis/ops/op_tables.h"
#include "analysis/ops/ranges.h"
#include "analysis/path/replayer.h"
#include "analysis/recording/coverage.h"
#include "analysis/recording/edges.h"
#include "analysis/recording/losses.h"
#include "analysis/recording/reported.h"
#include "analysis/recording/whole_graphs.h"
#include "analysis/replay.h"
#include "analysis/summary/analyze_run.h"
#include "analysis/tables/output.h"
#include "analysis/time/exposure.h"
#include "analysis/time/idle.h"
#include "analysis/time/marks.h"
#include "analysis/time/run_iterations.h"
#include "base/parallel.h"

namespace profgauge {
namespace {

// How many iterations were recorded, of a file that states its numbers for some of them only.
std::int64_t StatedTotal(const Reported& reported) {
  for (const ReportedMetric& metric : reported.metrics) {
    if (metric.id == "profile.iterations_total") {
      return static_cast<std::int64_t>(AsNumber(metric.value, 0));
    }
  }
  return 0;
}

constexpr std::string_view kNoTimeline =
    "needs the times of events, which this kind of file lacks: it has durations or sums only";

void AddWithoutTimeline(const std::vector<RankContext>& ranks, Output& out) {
  std::string why(kNoTimeline);
  const std::string how = out.HowToRecord(Capability::kDeviceEvents, "");
  if (!how.empty()) why += "; " + how;
  for (const MetricSpec& spec : MetricCatalogue()) {
    for (const std::string_view of_time :
         {"profile.wall_time", "profile.iterations", "iteration.", "breakdown.", "gpu.", "launch.",
          "dataloader.", "coverage.backlog_time"}) {
      if (spec.id.starts_with(of_time)) out.SetAbsent(spec.id, why);
    }
    if (spec.id.ends_with("_per_iteration")) out.SetAbsent(spec.id, why);
  }
  for (const std::string_view table : {"iterations", "other_iterations", "gaps", "launches",
                                       "ops_by_iteration", "op_tree", "modules", "ranges"}) {
    out.SetTableAbsent(table, why);
  }
  SetRecording(ranks, out);
}

// All but paths and launches.
void AddTables(const std::vector<RankContext>& ranks, bool has_timeline, Output& out) {
  if (has_timeline) {
    const std::vector<RunIteration> run = AddIterations(ranks, out);
    AddUtilization(ranks, out);
    AddIdle(ranks, out);
    AddIterationOps(ranks, out);
    AddIterationTree(ranks, run, out);
    AddModules(ranks, out);
    AddRanges(ranks, out);
    AddCounts(ranks, out);
  } else {
    AddWithoutTimeline(ranks, out);
  }
  AddOpTables(ranks, out);
  AddKernels(ranks, out);
  AddTensorCores(ranks, out);
  AddRoofline(ranks, out);
  AddDeviceTables(ranks, out);
  AddCopies(ranks, out);
  AddHostCalls(ranks, out);
  AddOsRuntime(ranks, out);
  AddCpuActivity(ranks, out);
  AddCommunication(ranks, out);
  AddMemory(ranks, out);
  AddCoverage(ranks, out);
  if (has_timeline) AddExposures(ranks, out);
}

}  // namespace

Result<Replayable> AnalyzeForReplay(std::span<const Profile> profiles, const Selection& selection) {
  if (std::any_of(profiles.begin(), profiles.end(), IsSummary)) {
    Replayable result;
    PROFGAUGE_TRY(result.analysis, AnalyzeRun(profiles, selection));
    return result;
  }
  PROFGAUGE_TRY(std::vector<RankContext> contexts, BuildRankContexts(profiles, selection));
  const auto kept = std::make_shared<const std::vector<RankContext>>(std::move(contexts));
  const std::vector<RankContext>& ranks = *kept;
  const bool has_timeline = std::all_of(profiles.begin(), profiles.end(),
                                        [](const Profile& p) { return p.has_timeline; });
  Output out(ranks.front().profile->hints, AcceleratorOf(profiles));
  std::shared_ptr<const Replayer> replayer;
  std::vector<PathFacts> paths;
  // Neither looks at what the other finds.
  ForEachAtOnce(2, [&](std::size_t i) {
    if (i == 0) return AddTables(ranks, has_timeline, out);
    replayer = std::make_shared<const Replayer>(kept);
    paths = PathFactsOf(*replayer);
  });
  AddCriticalPath(*replayer, paths, out);
  // The largest table by far: after what needs much memory for a while.
  if (has_timeline) {
    AddLaunches(ranks, out);
    AddEdges(ranks, out);
    MarkLosses(ranks, out);
    BoundByWholeGraphs(ranks, out);
  }
  MarkLostNames(ranks, out);
  AddNeuron(ranks, selection, out);
  AddRegions(ranks, selection, out);
  AddReported(ranks, out);

  Replayable result;
  Analysis& analysis = result.analysis;
  out.MoveTo(analysis);
  if (replayer->can_replay()) result.replayer = replayer;
  if (!has_timeline) {
    analysis.iteration_source = "no timeline";
    const Metric* stated = analysis.Find("profile.iterations");
    if (stated != nullptr && !IsAbsent(stated->value)) {
      analysis.iterations_selected = static_cast<std::int64_t>(AsNumber(stated->value, 0));
      analysis.iterations_total =
          std::max(analysis.iterations_selected, StatedTotal(ranks.front().profile->reported));
    }
    return result;
  }
  SetExtent(ranks, analysis);
  return result;
}

Result<Analysis> Analyze(std::span<const Profile> profiles, const Selection& selection) {
  PROFGAUGE_TRY(Replayable result, AnalyzeForReplay(profiles, selection));
  return std::move(result.analysis);
}

}  // namespace profgauge
