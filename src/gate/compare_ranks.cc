// Finds the rank, or the function on the host, that causes a change.
#include "gate/compare_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "gate/change_text.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"
#include "model/category.h"

namespace profgauge::gate {
namespace {

struct RankChange {
  std::int64_t rank = 0;
  double own = 0, computing = 0;  // ns an iteration.
};

std::vector<RankChange> ChangesOf(const Snapshot& base, const Snapshot& current) {
  std::vector<RankChange> changes;
  for (const RankWork& here : current.ranks) {
    const auto there = std::ranges::find(base.ranks, here.rank, &RankWork::rank);
    if (there == base.ranks.end()) continue;
    changes.push_back({here.rank, static_cast<double>(here.own - there->own),
                       static_cast<double>(here.computing - there->computing)});
  }
  return changes;
}

std::string Signed(double time) { return (time < 0 ? "−" : "+") + FormatDuration(std::abs(time)); }

}  // namespace

// Example: changes of the ranks' own work of +0.02 +0.03 +0.04 +4.97 ms: median 0.035, deviation
// 0.015. The last rank exceeds it by over 2 % of the iteration and four deviations: it is named.
std::optional<SlowRank> FindSlowRank(const Snapshot& base, const Snapshot& current) {
  const std::vector<RankChange> changes = ChangesOf(base, current);
  if (changes.size() != base.ranks.size() || changes.size() < kRanksToStandOut) return {};
  std::vector<double> own;
  for (const RankChange& change : changes) own.push_back(change.own);
  const double middle = stats::Median(own);
  const double least = std::max(knowledge::kGateRankShare * MedianIteration(base).value_or(0),
                                knowledge::kGateRankErrors.value() * stats::RobustSigma(own));
  const auto slowest = std::ranges::max_element(changes, {}, &RankChange::own);
  if (slowest->own <= 0 || slowest->own - middle <= least) return {};
  std::vector<double> others;
  for (const RankChange& change : changes) {
    if (&change != &*slowest) others.push_back(change.own);
  }
  return SlowRank{
      slowest->rank,
      fmt::format("rank {} takes {} more for its own work per iteration (kernels {}); that of the "
                  "other ranks changed by {}",
                  slowest->rank, FormatDuration(slowest->own), Signed(slowest->computing),
                  Signed(stats::Median(others)))};
}

std::string IdleInText(const Snapshot& base, const Snapshot& current, const Waterfall& waterfall) {
  if (!base.idle_in || !current.idle_in) return {};
  double of_host = 0;
  for (const WaterfallStep& step : waterfall.steps) {
    const auto category = step.parent < 0 ? FindCategory(step.name) : std::nullopt;
    if (category && *category >= Category::kRuntime) of_host += static_cast<double>(step.delta);
  }
  if (of_host <= knowledge::kGateRankShare.value() * static_cast<double>(waterfall.base)) return {};
  const std::string* most = nullptr;
  double longest = 0;
  for (const auto& [name, time] : *current.idle_in) {
    const auto there = base.idle_in->find(name);
    const double longer = time - (there == base.idle_in->end() ? 0 : there->second);
    if (longer <= longest) continue;
    longest = longer;
    most = &name;
  }
  if (most == nullptr || 2 * longest < of_host) return {};
  return fmt::format(
      "the host takes {} longer per iteration while the device idles, mostly in `{}`",
      FormatDuration(of_host), PrintableShort(*most, 80));
}

}  // namespace profgauge::gate
