#include "analysis/communication/links.h"

#include "analysis/communication/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/communication/collective_calls.h"
#include "base/numbers.h"

namespace profgauge::analysis::communication {
namespace {

/// Calls with equal values take equally long on equal links.
using Alike = std::tuple<std::string_view, std::string_view, std::int64_t, std::size_t>;
/// A group, or a pair of ranks in it.
using Link = std::tuple<std::size_t, std::int64_t, std::int64_t>;

struct Sum {
  Ns own = 0, usual = 0, extra = 0;
};

/// Transfers by signature and link. Both directions between two ranks are one link. Calls of
/// unknown or uneven size are omitted: their sizes may explain a difference.
std::map<Alike, std::map<Link, std::vector<Ns>>> Transfers(std::span<const RankFacts> ranks,
                                                           const Matching& matching) {
  std::map<Alike, std::map<Link, std::vector<Ns>>> alike;
  for (const MatchedCall& matched : matching.calls) {
    const auto& member = matched.members.front();
    const CollectiveCall& call = ranks[member.rank].calls[member.call];
    if (matched.transfer < 0 || call.bytes <= 0 || call.is_uneven) continue;
    const bool pair = matching.groups[matched.group].point_to_point;
    const auto ends = std::minmax(call.source, call.destination);
    const Link unit =
        pair ? Link{matched.group, ends.first, ends.second} : Link{matched.group, -1, -1};
    alike[{call.name, call.dtype, call.bytes, matched.members.size()}][unit].push_back(
        matched.transfer);
  }
  return alike;
}

/// The median of all values except the one at `own`. REQUIRES: sorted by value.
Ns MedianWithout(std::span<const std::pair<Ns, Link>> sorted, std::size_t own) {
  const std::size_t others = sorted.size() - 1, middle = others / 2;
  const auto at = [&](std::size_t i) { return sorted[i < own ? i : i + 1].first; };
  return others % 2 == 1 ? at(middle) : at(middle - 1) + (at(middle) - at(middle - 1)) / 2;
}

}  // namespace

// Compares each link with the median of the others, for calls of one signature:
//
//   link          A    B    C        A against median(4, 6) = 5: 10 / 5 = 2 times as slow
//   median of     10   4    6        B against median(10, 6) = 8, C against median(10, 4) = 7
//   transfers
//
// The slowdown of a group of several links (its pairs) is that of the slowest.
std::vector<LinkSpeed> MeasureLinks(std::span<const RankFacts> ranks, const Matching& matching) {
  std::map<Link, Sum> sums;
  for (const auto& [key, units] : Transfers(ranks, matching)) {
    if (units.size() < 2) continue;
    std::vector<std::pair<Ns, Link>> medians;
    for (const auto& [unit, transfers] : units) medians.emplace_back(Median(transfers), unit);
    std::sort(medians.begin(), medians.end());
    for (std::size_t i = 0; i < medians.size(); ++i) {
      const Ns usual = MedianWithout(medians, i);
      const auto calls = static_cast<Ns>(units.at(medians[i].second).size());
      Sum& sum = sums[medians[i].second];
      sum.own += calls * medians[i].first;
      sum.usual += calls * usual;
      sum.extra += calls * std::max<Ns>(0, medians[i].first - usual);
    }
  }
  std::vector<LinkSpeed> links(matching.groups.size());
  for (const auto& [unit, sum] : sums) {
    if (sum.usual <= 0) continue;
    LinkSpeed& link = links[std::get<0>(unit)];
    const double slowdown = static_cast<double>(sum.own) / static_cast<double>(sum.usual);
    if (link.slowdown && slowdown <= *link.slowdown) continue;
    link.slowdown = slowdown;
    link.extra = sum.extra;
    if (std::get<1>(unit) >= 0) {
      link.pair = fmt::format("{} - {}", std::get<1>(unit), std::get<2>(unit));
    }
  }
  return links;
}

}  // namespace profgauge::analysis::communication
