#include "analysis/communication/clocks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>

#include "base/numbers.h"
#include "knowledge/clocks.h"

namespace profgauge::analysis::communication {
namespace {

/// The end of one rank's call, and its difference to the group's first rank.
struct Pair {
  double own = 0, difference = 0;
};

/// Fits the difference of one clock to another as a line through the pairs. It uses medians, so
/// that a few calls with different ends (e.g. one rank was preempted) do not matter. REQUIRES:
/// pairs is not empty.
///
///   difference
///      |            x  x         slope: the median over i of the slope from call i to call
///      |      x  x                      i + n/2; offset: the median of the rest
///      | x  x
///      +------------------ own
///
/// The slope stays 0 if calls are too few or too close together to show a drift.
Clocks::Clock Fit(std::vector<Pair> pairs) {
  // Calls come group by group.
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.own < b.own; });
  Clocks::Clock clock;
  clock.from = pairs.front().own;
  if (pairs.back().own - clock.from >
          static_cast<double>(knowledge::kClocksDriftLeastLength.ns()) &&
      pairs.size() >= knowledge::kClocksDriftLeastCalls) {
    std::vector<double> slopes;
    // Pairs each call with the one half the profile later: such pairs are far apart and numerous.
    const std::size_t half = pairs.size() / 2;
    for (std::size_t i = 0; i + half < pairs.size(); ++i) {
      const double apart = pairs[i + half].own - pairs[i].own;
      if (apart > 0) slopes.push_back((pairs[i + half].difference - pairs[i].difference) / apart);
    }
    if (!slopes.empty()) clock.speed = Median(std::move(slopes));
  }
  std::vector<double> offsets;
  for (const Pair& pair : pairs) {
    offsets.push_back(pair.difference - clock.speed * (pair.own - clock.from));
  }
  clock.offset = Median(std::move(offsets));
  return clock;
}

// Converts to the clock of the other rank. Doubles are exact up to 2^53 ns: 104 days.
double Apply(const Clocks::Clock& clock, double time) {
  return time - clock.offset - clock.speed * (time - clock.from);
}

/// Applies `inner`, then `outer`.
Clocks::Clock Chain(const Clocks::Clock& inner, const Clocks::Clock& outer) {
  Clocks::Clock both;
  both.from = inner.from;
  both.speed = inner.speed + outer.speed - inner.speed * outer.speed;
  both.offset = inner.from - Apply(outer, Apply(inner, inner.from));
  return both;
}

Clocks::Clock Invert(const Clocks::Clock& clock) {
  Clocks::Clock inverse;
  inverse.from = Apply(clock, clock.from);
  inverse.speed = 1 - 1 / (1 - clock.speed);
  inverse.offset = inverse.from - clock.from;
  return inverse;
}

// The spread of a matched symmetric call's ends on its ranks, on aligned clocks.
std::optional<Ns> SpreadOf(const MatchedCall& call, std::span<const RankFacts> ranks,
                           const Clocks& clocks) {
  if (call.transfer < 0 || !clocks.of_rank[call.members.front().rank]) return std::nullopt;
  Ns least = 0, most = 0;
  for (std::size_t m = 0; m < call.members.size(); ++m) {
    const auto& member = call.members[m];
    const Ns aligned =
        clocks.of_rank[member.rank]->Align(ranks[member.rank].calls[member.call].time.end);
    least = m == 0 ? aligned : std::min(least, aligned);
    most = m == 0 ? aligned : std::max(most, aligned);
  }
  return most - least;
}

}  // namespace

Ns Clocks::Clock::Align(Ns time) const {
  return std::llround(Apply(*this, static_cast<double>(time)));
}

bool Clocks::complete() const {
  return std::all_of(of_rank.begin(), of_rank.end(),
                     [](const auto& clock) { return clock.has_value(); });
}

// Searches breadth first: ranks are nodes, and a group's first rank has an edge to each other
// member. Example: the groups {0, 1}, {2, 3} and {1, 3}, starting at rank 0:
//
//   0 -- 1 -- 3 -- 2      1 by its own line, 3 by the lines 3 -> 1 -> 0, 2 by 2 -> 3 -> 1 -> 0
//
// A shorter chain has a smaller error, and breadth first finds the shortest.
Clocks AlignClocks(std::span<const RankFacts> ranks, const Matching& matching) {
  const auto end = [&](const MatchedCall::Member& member) {
    return static_cast<double>(ranks[member.rank].calls[member.call].time.end);
  };
  // By two ranks: the first of a group and another.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Pair>> pairs;
  for (const MatchedCall& call : matching.calls) {
    if (call.transfer < 0) continue;
    for (std::size_t m = 1; m < call.members.size(); ++m) {
      const double own = end(call.members[m]);
      pairs[{call.members.front().rank, call.members[m].rank}].push_back(
          {own, own - end(call.members.front())});
    }
  }
  struct Way {
    std::size_t to = 0;
    Clocks::Clock clock;  // From `to` to the root of the search.
  };
  std::vector<std::vector<Way>> ways(ranks.size());
  for (auto& [between, of] : pairs) {
    const Clocks::Clock clock = Fit(std::move(of));
    ways[between.first].push_back({between.second, clock});
    ways[between.second].push_back({between.first, Invert(clock)});
  }
  Clocks clocks;
  clocks.of_rank.resize(ranks.size());
  std::deque<std::size_t> next;
  if (!ranks.empty()) {
    clocks.of_rank.front() = Clocks::Clock{};
    next.push_back(0);
  }
  for (; !next.empty(); next.pop_front()) {
    for (const Way& way : ways[next.front()]) {
      if (clocks.of_rank[way.to]) continue;
      clocks.of_rank[way.to] = Chain(way.clock, *clocks.of_rank[next.front()]);
      next.push_back(way.to);
    }
  }
  std::vector<Ns> spreads;
  for (const MatchedCall& call : matching.calls) {
    if (const auto spread = SpreadOf(call, ranks, clocks)) spreads.push_back(*spread);
  }
  if (!spreads.empty()) clocks.residual = Median(std::move(spreads));
  return clocks;
}

bool AreApart(std::span<const RankFacts> ranks, const Matching& matching, const Clocks& clocks) {
  std::size_t calls = 0, apart = 0;
  for (const MatchedCall& call : matching.calls) {
    const auto spread = SpreadOf(call, ranks, clocks);
    if (!spread) continue;
    ++calls;
    apart += *spread > std::max(knowledge::kClocksEndsApart.ns(), call.transfer) ? 1 : 0;
  }
  return 2 * apart > calls;
}

// Iterations correspond if their numbers are equal. One that is missing on a rank has no spread.
std::optional<Ns> StepSkew(std::span<const RankFacts> ranks, const Clocks& clocks) {
  if (ranks.size() < 2 || !clocks.complete()) return std::nullopt;
  struct Ends {
    std::size_t ranks = 0;
    Ns least = 0, most = 0;
  };
  std::map<std::int64_t, Ends> steps;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const RankFacts::Step& step : ranks[i].steps) {
      const Ns end = clocks.of_rank[i]->Align(step.time.end);
      Ends& ends = steps[step.number];
      ends.least = ends.ranks == 0 ? end : std::min(ends.least, end);
      ends.most = ends.ranks == 0 ? end : std::max(ends.most, end);
      ++ends.ranks;
    }
  }
  std::vector<Ns> skews;
  for (const auto& [number, ends] : steps) {
    if (ends.ranks == ranks.size()) skews.push_back(ends.most - ends.least);
  }
  if (skews.empty()) return std::nullopt;
  return Median(std::move(skews));
}

}  // namespace profgauge::analysis::communication
