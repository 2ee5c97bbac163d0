// Analyze(): the contexts of all ranks, then every analysis in turn.
#include <algorithm>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/communication.h"
#include "analysis/context.h"
#include "analysis/copies.h"
#include "analysis/coverage.h"
#include "analysis/device_tables.h"
#include "analysis/host_calls.h"
#include "analysis/idle.h"
#include "analysis/kernels.h"
#include "analysis/launches.h"
#include "analysis/memory.h"
#include "analysis/op_tables.h"
#include "analysis/output.h"
#include "analysis/run_iterations.h"
#include "analysis/tensor_cores.h"
#include "analysis/utilization.h"

namespace profgauge {
namespace {

// The window of the rank that ran longest stands for the run's.
const RankContext& LongestRank(const std::vector<RankContext>& ranks) {
  const RankContext* longest = &ranks.front();
  for (const RankContext& rank : ranks) {
    if (rank.window().length() > longest->window().length()) longest = &rank;
  }
  return *longest;
}

}  // namespace

Result<Analysis> Analyze(std::span<const Profile> profiles, const Selection& selection) {
  PROFGAUGE_TRY(const std::vector<RankContext> ranks, BuildRankContexts(profiles, selection));
  Output out;
  AddIterations(ranks, out);
  AddUtilization(ranks, out);
  AddIdle(ranks, out);
  AddOpTables(ranks, out);
  AddKernels(ranks, out);
  AddTensorCores(ranks, out);
  AddLaunches(ranks, out);
  AddDeviceTables(ranks, out);
  AddCopies(ranks, out);
  AddHostCalls(ranks, out);
  AddCommunication(ranks, out);
  AddMemory(ranks, out);
  AddCoverage(ranks, out);

  Analysis analysis;
  out.MoveTo(analysis);
  const RankContext& longest = LongestRank(ranks);
  analysis.iteration_source = longest.iterations.source;
  for (const RankContext& rank : ranks) {
    analysis.iterations_total =
        std::max(analysis.iterations_total, static_cast<std::int64_t>(rank.iterations.all.size()));
  }
  analysis.iterations_selected = static_cast<std::int64_t>(PoolIterations(ranks).size());
  analysis.window_start = longest.window().start;
  analysis.window_end = longest.window().end;
  return analysis;
}

}  // namespace profgauge
