// Ranks that took part in collectives, and whose profiles are not here.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

#include "analysis/communication/communication.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/communication/run_metrics.h"
#include "base/metric_id.h"

namespace profgauge::analysis::communication {
namespace {

// "ranks 3, 5 and 9 more of 64"
std::string ListMissing(std::span<const RankFacts> ranks, std::int64_t world) {
  constexpr std::size_t kMissingRanksNamed = 8;
  std::set<std::int64_t> present;
  for (const RankFacts& rank : ranks) present.insert(rank.rank);
  // A file may state any size of the world: only those named are looked for.
  const auto count =
      static_cast<std::size_t>(world) -
      static_cast<std::size_t>(std::distance(present.lower_bound(0), present.lower_bound(world)));
  std::string list;
  std::size_t named = 0;
  for (std::int64_t rank = 0; rank < world && named < std::min(count, kMissingRanksNamed); ++rank) {
    if (present.contains(rank)) continue;
    list += fmt::format("{}{}", named++ == 0 ? "" : ", ", rank);
  }
  if (count > kMissingRanksNamed) list += fmt::format(" and {} more", count - kMissingRanksNamed);
  return fmt::format("of {} ranks these are missing: {}", world, list);
}

// The world has at least as many ranks.
std::int64_t LargestGroup(std::span<const RankFacts> ranks) {
  std::int64_t largest = -1;
  for (const RankFacts& rank : ranks) {
    for (const CollectiveCall& call : rank.calls) largest = std::max(largest, call.group_size);
    for (const ProcessGroup& group : rank.groups) largest = std::max(largest, group.size);
  }
  return largest;
}

}  // namespace

void SetMissingRanks(std::span<const RankFacts> ranks, tables::Output& out) {
  std::int64_t world = -1;
  for (const RankFacts& rank : ranks) {
    world = std::max(world, rank.world_size);
  }
  if (ranks.size() < 2)
    return out.SetAbsent(metric::kProfileRanksMissing, std::string(kNeedsRanks));
  const auto count = static_cast<std::int64_t>(ranks.size());
  if (const std::int64_t largest = LargestGroup(ranks); world < 0 && largest > count) {
    out.Set(metric::kProfileRanksMissing, largest - count);
    return out.SetNote(metric::kProfileRanksMissing,
                       fmt::format("at least: the largest process group has {}", largest));
  }
  if (world < 0) {
    return out.SetAbsent(metric::kProfileRanksMissing, "the world size was not recorded");
  }
  const std::int64_t missing = std::max<std::int64_t>(0, world - count);
  out.Set(metric::kProfileRanksMissing, missing);
  if (missing > 0) out.SetNote(metric::kProfileRanksMissing, ListMissing(ranks, world));
}

}  // namespace profgauge::analysis::communication
