#include "analysis/communication/rank_steps.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/tables/row_writer.h"

namespace profgauge {
namespace {

constexpr std::array<std::string_view, 5> kParts = {"iteration", "computing", "transfer", "waiting",
                                                    "lateness"};
constexpr std::array<std::size_t, 5> kPercents = {5, 25, 50, 75, 95};

/// A value of an iteration on a rank.
using Valued = std::pair<Ns, std::int64_t>;
struct Spread {
  std::array<std::vector<Valued>, kParts.size()> values;  ///< As kParts.
};

struct Sums {
  Ns waiting = 0, transfer = 0;
};

/// Of the matched calls of each iteration, by its number.
std::map<std::int64_t, Sums> SumCalls(const RankFacts& rank) {
  std::map<std::int64_t, Sums> sums;
  for (const CollectiveCall& call : rank.calls) {
    if (!call.in_iterations || call.transfer < 0) continue;
    Sums& sum = sums[call.iteration];
    sum.transfer += call.transfer;
    sum.waiting += call.time.length() - call.transfer;
  }
  return sums;
}

/// Linear between the two nearest, in whole nanoseconds. REQUIRES: sorted, not empty.
Ns QuantileOf(const std::vector<Valued>& values, std::size_t percent) {
  const std::size_t scaled = (values.size() - 1) * percent;
  const std::size_t below = scaled / 100;
  const Ns low = values[below].first;
  if (below + 1 == values.size()) return low;
  return low + (values[below + 1].first - low) * static_cast<Ns>(scaled % 100) / 100;
}

void AppendSpread(std::int64_t step, std::string_view part, std::vector<Valued> values,
                  Table& table) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto most = std::lower_bound(
      values.begin(), values.end(), Valued{values.back().first, values.front().second},
      [](const Valued& a, const Valued& b) { return a.first < b.first; });
  RowWriter row(table);
  row.Integer(step).Text(part).Integer(static_cast<std::int64_t>(values.size()));
  row.Integer(values.front().first);
  for (const std::size_t percent : kPercents) row.Integer(QuantileOf(values, percent));
  row.Integer(values.back().first).Integer(values.front().second).Integer(most->second);
}

void AppendStep(const RankFacts& rank, std::size_t i, const RankParts& parts, const Sums& sums,
                Ns cost, bool judged, Table& table) {
  const auto known = [&](RowWriter& row, bool is_known, Ns value) {
    if (is_known)
      row.Integer(value);
    else
      row.Absent();
  };
  RowWriter row(table);
  row.Integer(rank.rank)
      .Integer(rank.steps[i].number)
      .Integer(rank.steps[i].time.length())
      .Integer(parts.compute_only)
      .Integer(parts.overlapped)
      .Integer(parts.transfer_exposed);
  known(row, parts.matched, parts.waiting_exposed);
  row.Integer(parts.copy).Integer(parts.dataloader).Integer(parts.host).Integer(parts.unattributed);
  known(row, parts.matched, sums.waiting);
  known(row, parts.matched, sums.transfer);
  known(row, judged, cost);
}

}  // namespace

void FillSteps(std::span<const RankFacts> ranks, const Blame& blame, Output& out) {
  const bool has_timeline = std::any_of(ranks.begin(), ranks.end(),
                                        [](const RankFacts& rank) { return rank.has_timeline; });
  if (ranks.size() < 2 || !has_timeline) {
    const char* const reason = ranks.size() < 2
                                   ? "needs the recordings of at least two ranks"
                                   : "needs the times of events, which this kind of file lacks";
    out.SetTableAbsent("rank_steps", reason);
    return out.SetTableAbsent("rank_spread", reason);
  }
  Table& table = out.AddTable("rank_steps");
  const bool judged = blame.judged_groups > 0;
  std::map<std::int64_t, Spread> spreads;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RankFacts& rank = ranks[r];
    const std::vector<RankParts> steps = MatchedSteps(rank);
    const std::map<std::int64_t, Sums> sums = SumCalls(rank);
    const auto& costs = blame.ranks[r].by_step;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::int64_t number = rank.steps[i].number;
      const auto sum = sums.find(number);
      const auto cost = costs.find(number);
      const Ns late = cost == costs.end() ? 0 : cost->second;
      AppendStep(rank, i, steps[i], sum == sums.end() ? Sums{} : sum->second, late, judged, table);
      auto& values = spreads[number].values;
      values[0].emplace_back(rank.steps[i].time.length(), rank.rank);
      values[1].emplace_back(steps[i].compute_only + steps[i].overlapped, rank.rank);
      if (steps[i].matched) {
        values[2].emplace_back(steps[i].transfer_exposed, rank.rank);
        values[3].emplace_back(steps[i].waiting_exposed, rank.rank);
      }
      if (judged) values[4].emplace_back(late, rank.rank);
    }
  }
  Table& spread = out.AddTable("rank_spread");
  for (auto& [step, of_step] : spreads) {
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      AppendSpread(step, kParts[part], std::move(of_step.values[part]), spread);
    }
  }
}

}  // namespace profgauge
