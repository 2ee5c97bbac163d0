// AttributeTime(): rank after rank, then the run.
#include <algorithm>
#include <utility>

#include "analysis/context/context.h"
#include "analysis/summary/attribute_run.h"
#include "analysis/time/attribution.h"
#include "analysis/time/rank_attribution.h"
#include "analysis/time/run_attribution.h"
#include "analysis/time/run_iterations.h"
#include "model/summary/summary.h"

namespace profgauge {

Result<Attribution> AttributeTime(std::span<const Profile> profiles, const Selection& selection) {
  if (std::any_of(profiles.begin(), profiles.end(), IsSummary)) {
    return AttributeRun(profiles, selection);
  }
  PROFGAUGE_TRY(const std::vector<RankContext> ranks, BuildRankContexts(profiles, selection));
  std::vector<IterationFacts> facts;
  for (const RankContext& rank : ranks) {
    facts.push_back(IterationFactsOf(rank, CategoryTimesOf(rank, {})));
  }
  RunAttribution run(PoolIterations(ranks, facts),
                     std::any_of(ranks.begin(), ranks.end(),
                                 [](const RankContext& rank) { return rank.has_device(); }));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::vector<bool> is_own = run.OwnIterations(i, ranks[i].iterations);
    run.AddRank(i, ranks[i].iterations, WholeAttributionOf(ranks[i], is_own));
  }
  return run.Take();
}

}  // namespace profgauge
