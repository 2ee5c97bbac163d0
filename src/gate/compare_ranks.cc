// Whose work a change of a run of several ranks is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "gate/change_text.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

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

// Changes of the own work, in ms:  +0.02 +0.03 +0.04 +4.97      median +0.035, deviation 0.015
// The last one stands out: by over 2 % of the iteration, and over four deviations.
std::string SlowRankText(const Snapshot& base, const Snapshot& current) {
  const std::vector<RankChange> changes = ChangesOf(base, current);
  if (changes.size() != base.ranks.size() || changes.size() < 3) return {};
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
  return fmt::format(
      "rank {} takes {} more for its own work per iteration (kernels {}); that of the other ranks "
      "changed by {}",
      slowest->rank, FormatDuration(slowest->own), Signed(slowest->computing),
      Signed(stats::Median(others)));
}

}  // namespace profgauge::gate
