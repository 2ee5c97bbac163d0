// Analyze(): the contexts of all ranks, then every analysis in turn.
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
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

void AddWithoutTimeline(std::span<const RankContext> ranks, Output& out) {
  std::string why(kNoTimeline);
  const std::string how = out.HowToRecord(Capability::kDeviceEvents, "");
  if (!how.empty()) why += "; " + how;
  out.SetLacking(&Basis::times, why);
  SetRecording(ranks, out);
}

void AddIterationsAndTree(std::span<const RankContext> ranks, Output& out) {
  const std::vector<RunIteration> run = AddIterations(ranks, out);
  AddIterationTree(ranks, run, out);
}

// Counts of copies first: why they are unknown is for the copies to say.
void AddCountsAndCopies(std::span<const RankContext> ranks, Output& out) {
  AddCounts(ranks, out);
  AddCopies(ranks, out);
}

// None looks at what others find. Results join in this order.
using Part = void (*)(std::span<const RankContext>, Output&);
constexpr Part kPartsOfTimeline[] = {AddIterationsAndTree, AddUtilization, AddIdle,
                                     AddIterationOps,      AddModules,     AddRanges,
                                     AddCountsAndCopies};
constexpr Part kPartsOfSums[] = {AddWithoutTimeline, AddCopies};
constexpr Part kParts[] = {AddOpTables,      AddKernels,   AddTensorCores, AddRoofline,
                           AddDeviceTables,  AddHostCalls, AddOsRuntime,   AddCpuActivity,
                           AddCommunication, AddMemory,    AddCoverage};

// All, and `beside`, which runs beside them. Returns what launches found, for the caller to join.
Output AddTables(std::span<const RankContext> ranks, const std::function<void()>& beside,
                 Output& out) {
  std::vector<Part> parts(std::begin(kPartsOfTimeline), std::end(kPartsOfTimeline));
  parts.insert(parts.end(), std::begin(kParts), std::end(kParts));
  std::vector<Output> found;
  found.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) found.push_back(out.Beside());
  // The longest first.
  ForEachAtOnce(1 + parts.size(), [&](std::size_t i) {
    if (i == 0) {
      beside();
    } else {
      parts[i - 1](ranks, found[i - 1]);
    }
  });
  for (Output& part : found) out.Join(std::move(part));
  // The largest table by far: after what needs much memory for a while.
  Output launches = out.Beside();
  ForEachAtOnce(2, [&](std::size_t i) {
    if (i == 0) {
      AddExposures(ranks, out);
    } else {
      AddLaunches(ranks, launches);
    }
  });
  return launches;
}

// Of sums without times, which are few.
void AddTablesOfSums(std::span<const RankContext> ranks, Output& out) {
  for (const Part part : kPartsOfSums) part(ranks, out);
  for (const Part part : kParts) part(ranks, out);
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
  const auto find_paths = [&] {
    replayer = std::make_shared<const Replayer>(kept);
    paths = PathFactsOf(*replayer);
  };
  std::optional<Output> launches;
  if (has_timeline) {
    launches = AddTables(ranks, find_paths, out);
  } else {
    AddTablesOfSums(ranks, out);
    find_paths();
  }
  AddCriticalPath(*replayer, paths, out);
  if (has_timeline) {
    out.Join(*std::move(launches));
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
