// Finds slow links: transfers that take longer than the same transfers elsewhere. Calls of equal
// kind, type, size and number of ranks are compared with those of other groups; transfers between
// two ranks with those of other pairs. The median transfer time is compared, which late ranks do
// not affect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge::analysis::communication {

/// How much slower a group's link is than those of the other groups. 1: equally fast.
struct LinkSpeed {
  /// Median transfer time divided by the median of the other groups; for pairs, that of the slowest
  /// pair. None if no other group makes such calls.
  std::optional<double> slowdown;
  Ns extra = 0;      ///< Additional time of its calls, counting one rank of each.
  std::string pair;  ///< The slowest of several pairs: "3 - 4".
};

/// One entry per group. REQUIRES: `matching` is MatchFacts() of `ranks`.
std::vector<LinkSpeed> MeasureLinks(std::span<const RankFacts> ranks, const Matching& matching);

}  // namespace profgauge::analysis::communication
