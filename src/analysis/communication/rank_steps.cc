#include "analysis/communication/rank_tables.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/tables/rank_columns.h"
#include "analysis/tables/row_writer.h"

namespace profgauge::analysis::communication {
namespace {

constexpr std::array<std::string_view, 5> kParts = {"iteration", "computing", "transfer", "waiting",
                                                    "lateness"};

/// A value of an iteration on a rank.
using Valued = std::pair<Ns, std::int64_t>;
struct Spread {
  std::array<std::vector<Valued>, kParts.size()> values;  ///< As kParts.
};

struct Sums {
  Ns waiting = 0, transfer = 0;
};

/// The matched calls of each iteration, by its number.
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

/// Ranks with equal values: the smallest number is named.
void AppendSpread(std::int64_t step, std::string_view part, std::vector<Valued> values,
                  tables::RowWriter<tables::columns::kRankSpread>& row) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto most = std::lower_bound(
      values.begin(), values.end(), Valued{values.back().first, values.front().second},
      [](const Valued& a, const Valued& b) { return a.first < b.first; });
  row.Integer("step"_col, step)
      .Text("part"_col, part)
      .Integer("ranks"_col, static_cast<std::int64_t>(values.size()));
  row.Integer("min"_col, values.front().first);
  row.Integer("p5"_col, QuantileOf(values, 5, &Valued::first))
      .Integer("p25"_col, QuantileOf(values, 25, &Valued::first))
      .Integer("median"_col, QuantileOf(values, 50, &Valued::first))
      .Integer("p75"_col, QuantileOf(values, 75, &Valued::first))
      .Integer("p95"_col, QuantileOf(values, 95, &Valued::first));
  row.Integer("max"_col, values.back().first)
      .Integer("min_rank"_col, values.front().second)
      .Integer("max_rank"_col, most->second);
}

void AppendStep(const RankFacts& rank, std::size_t i, const RankParts& parts, const Sums& sums,
                Ns cost, bool judged, tables::RowWriter<tables::columns::kRankSteps>& row) {
  row.Integer("rank"_col, rank.rank)
      .Integer("step"_col, rank.steps[i].number)
      .Integer("duration"_col, rank.steps[i].time.length());
  AppendParts(parts, row)
      .IntegerIf("waiting_time"_col, parts.matched, sums.waiting)
      .IntegerIf("transfer_time"_col, parts.matched, sums.transfer)
      .Integer("tensor_core_kernel"_col, parts.on_matrix_units)
      .Integer("memset"_col, parts.memset)
      .Integer("runtime"_col, parts.runtime)
      .IntegerIf("late_cost"_col, judged, cost);
}

}  // namespace

// One row for each rank and iteration, and for each iteration and part the spread over ranks.
void FillSteps(std::span<const RankFacts> ranks, const Blame& blame, tables::Output& out) {
  const bool has_timeline = std::any_of(ranks.begin(), ranks.end(),
                                        [](const RankFacts& rank) { return rank.has_timeline; });
  if (ranks.size() < 2 || !has_timeline) {
    const char* const reason = ranks.size() < 2
                                   ? "needs the profiles of at least two ranks"
                                   : "needs the times of events, which this format does not have";
    out.SetTableAbsent("rank_steps", reason);
    return out.SetTableAbsent("rank_spread", reason);
  }
  tables::RowWriter<tables::columns::kRankSteps> row(out.AddTable("rank_steps"));
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
      AppendStep(rank, i, steps[i], sum == sums.end() ? Sums{} : sum->second, late, judged, row);
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
  tables::RowWriter<tables::columns::kRankSpread> spread(out.AddTable("rank_spread"));
  for (auto& [step, of_step] : spreads) {
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      AppendSpread(step, kParts[part], std::move(of_step.values[part]), spread);
    }
  }
}

}  // namespace profgauge::analysis::communication
