#include "analysis/context/context.h"

#include <algorithm>
#include <utility>

#include "analysis/context/observed.h"
#include "analysis/context/utilization.h"
#include "base/errors.h"
#include "base/parallel.h"

namespace profgauge {

Result<std::vector<RankContext>> BuildRankContexts(std::span<const Profile> profiles,
                                                   const Selection& selection) {
  PROFGAUGE_TRY(std::vector<Iterations> iterations, FindIterations(profiles, selection));
  std::vector<RankContext> ranks;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Profile& profile = profiles[i];
    RankContext rank;
    rank.profile = &profile;
    rank.rank =
        profile.distributed.rank >= 0 ? profile.distributed.rank : static_cast<std::int64_t>(i);
    if (selection.rank >= 0 && rank.rank != selection.rank) continue;
    rank.iterations = std::move(iterations[i]);
    rank.classes = ClassifyDevice(profile, selection.knowledge);
    rank.knowledge = selection.knowledge;
    rank.devices = CompleteGpus(profile, selection.knowledge.devices);
    // By id, so that the one of a kernel is found fast however many a file lists.
    std::stable_sort(rank.devices.begin(), rank.devices.end(),
                     [](const Gpu& a, const Gpu& b) { return a.id < b.id; });
    ForEachAtOnce(2, [&](std::size_t half) {
      if (half == 0) {
        rank.tree = BuildOpTree(profile, rank.classes);
        rank.works = CountWork(profile, rank.tree);
      } else {
        rank.unobserved = UnobservedParts(profile, rank.iterations);
        rank.gpus = MeasureGpus(profile, rank.devices, rank.window(), rank.unobserved,
                                rank.iterations.selected());
      }
    });
    ranks.push_back(std::move(rank));
  }
  if (ranks.empty()) {
    return Fail(UsageError("analysis/no-rank",
                           "the run has no rank " + std::to_string(selection.rank),
                           "`profgauge inspect` lists the ranks of a run"));
  }
  return ranks;
}

}  // namespace profgauge
