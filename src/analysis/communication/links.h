// Slow links: transfers that take longer than the same transfers elsewhere. Calls of one kind,
// type, size and number of ranks are compared with those of the other groups, transfers between two
// ranks against those of the other pairs, by the median of their transfer, which no late rank
// lengthens.
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

/// How much slower a group's link is than those of the other groups. 1: as fast.
struct LinkSpeed {
  /// Transfer by that of the median of the others; of pairs that of the slowest. Nothing where no
  /// other group makes the same calls.
  std::optional<double> slowdown;
  Ns extra = 0;      ///< Additional time of its calls compared with there, of one rank of each.
  std::string pair;  ///< "3 - 4": the slowest pair of a group whose ranks send to each other.
};

/// By group. REQUIRES: `matching` is MatchFacts() of `ranks`.
std::vector<LinkSpeed> MeasureLinks(std::span<const RankFacts> ranks, const Matching& matching);

}  // namespace profgauge::analysis::communication
