#include "analysis/communication/rank_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/tables/rank_columns.h"
#include "analysis/tables/row_writer.h"

namespace profgauge::analysis::communication {
namespace {

/// The rank that costs the others most, and the iteration in which it does.
struct Latest {
  std::size_t rank = 0;
  std::int64_t step = 0;
};

/// The straggler in its worst iteration; without a straggler the worst of all ranks. Nothing if no
/// rank has a cost.
std::optional<Latest> FindLatest(const Blame& blame) {
  std::optional<Latest> latest;
  Ns most = 0;
  for (std::size_t r = 0; r < blame.ranks.size(); ++r) {
    if (blame.straggler && *blame.straggler != r) continue;
    for (const auto& [step, cost] : blame.ranks[r].by_step) {
      if (cost <= most) continue;
      most = cost;
      latest = {r, step};
    }
  }
  return latest;
}

/// A rank's calls in the iteration: matched calls by position in Matching::calls.
struct Shown {
  std::size_t rank = 0;
  std::string_view role;
  Span step;  ///< By the common clock.
};

class Meetings {
 public:
  Meetings(std::span<const RankFacts> ranks, const Matching& matching, const Clocks& clocks,
           const Latest& latest)
      : ranks_(ranks), clocks_(clocks), latest_(latest) {
    for (std::size_t c = 0; c < matching.calls.size(); ++c) {
      const MatchedCall& call = matching.calls[c];
      const bool meets =
          call.transfer >= 0 && std::any_of(call.members.begin(), call.members.end(),
                                            [&](const MatchedCall::Member& member) {
                                              return member.rank == latest.rank &&
                                                     CallOf(member).iteration == latest.step;
                                            });
      if (!meets) continue;
      for (const MatchedCall::Member& member : call.members) {
        waiting_[member.rank] += CallOf(member).time.length() - call.transfer;
        met_[{member.rank, member.call}] = c;
      }
    }
  }

  /// Latest, median, earliest; fewer if there is only one other rank or clocks are unknown.
  /// The earliest is the one that waits longest in its calls with the latest.
  std::vector<Shown> Choose() const {
    std::vector<std::pair<Ns, std::size_t>> others;
    for (const auto& [rank, waiting] : waiting_) {
      if (rank != latest_.rank && StepOf(rank)) others.emplace_back(waiting, rank);
    }
    std::sort(others.begin(), others.end());
    std::vector<Shown> shown;
    const auto add = [&](std::size_t rank, std::string_view role) {
      if (const auto step = StepOf(rank)) shown.push_back({rank, role, *step});
    };
    add(latest_.rank, "latest");
    if (shown.empty()) return shown;
    if (others.size() > 1) add(others[(others.size() - 1) / 2].second, "median");
    if (!others.empty()) add(others.back().second, "earliest");
    return shown;
  }

  /// Times are on the common clock, from the first start of the shown iterations. The row of each
  /// rank's iteration comes before the rows of its calls.
  void Fill(const std::vector<Shown>& shown,
            tables::RowWriter<tables::columns::kRankCalls>& row) const {
    Ns begin = shown.front().step.start;
    for (const Shown& rank : shown) begin = std::min(begin, rank.step.start);
    for (const Shown& rank : shown) {
      const RankFacts& facts = ranks_[rank.rank];
      row.Integer("rank"_col, facts.rank)
          .Text("role"_col, rank.role)
          .Integer("step"_col, latest_.step)
          .Absent("call"_col);
      row.Text("name"_col, "iteration").Absent("group"_col);
      row.Integer("start"_col, rank.step.start - begin)
          .Integer("duration"_col, rank.step.length())
          .Absent("waiting"_col, "transfer"_col);
      std::size_t count = 0;
      for (std::size_t i = 0; i < facts.calls.size() && count < kCallsShown; ++i) {
        const CollectiveCall& call = facts.calls[i];
        if (!call.in_iterations || call.iteration != latest_.step) continue;
        ++count;
        Append(rank, i, begin, row);
      }
    }
  }

 private:
  const CollectiveCall& CallOf(const MatchedCall::Member& member) const {
    return ranks_[member.rank].calls[member.call];
  }

  std::optional<Span> StepOf(std::size_t rank) const {
    const auto& clock = clocks_.of_rank[rank];
    if (!clock) return std::nullopt;
    for (const RankFacts::Step& step : ranks_[rank].steps) {
      if (step.number != latest_.step) continue;
      return Span{clock->Align(step.time.start), clock->Align(step.time.end)};
    }
    return std::nullopt;
  }

  void Append(const Shown& rank, std::size_t at, Ns begin,
              tables::RowWriter<tables::columns::kRankCalls>& row) const {
    const CollectiveCall& call = ranks_[rank.rank].calls[at];
    const auto met = met_.find({rank.rank, at});
    row.Integer("rank"_col, ranks_[rank.rank].rank)
        .Text("role"_col, rank.role)
        .Integer("step"_col, latest_.step);
    if (met == met_.end()) {
      row.Absent("call"_col);
    } else {
      row.Integer("call"_col, static_cast<std::int64_t>(met->second));
    }
    row.Text("name"_col, call.name).Text("group"_col, call.group);
    row.Integer("start"_col, clocks_.of_rank[rank.rank]->Align(call.time.start) - begin);
    row.Integer("duration"_col, call.time.length());
    if (call.transfer < 0) {
      row.Absent("waiting"_col, "transfer"_col);
    } else {
      row.Integer("waiting"_col, call.time.length() - call.transfer)
          .Integer("transfer"_col, call.transfer);
    }
  }

  std::span<const RankFacts> ranks_;
  const Clocks& clocks_;
  Latest latest_;
  std::map<std::size_t, Ns> waiting_;  ///< In the calls that it has with the latest.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> met_;  ///< (rank, call): matched call.
};

}  // namespace

void FillRankCalls(std::span<const RankFacts> ranks, const Matching& matching, const Blame& blame,
                   const Clocks& clocks, tables::Output& out) {
  const std::optional<Latest> latest = FindLatest(blame);
  if (!latest) return out.SetTableAbsent("rank_calls", "no rank is known to be late for others");
  const Meetings meetings(ranks, matching, clocks, *latest);
  const std::vector<Shown> shown = meetings.Choose();
  if (shown.size() < 2) {
    return out.SetTableAbsent("rank_calls",
                              "the clocks of the late rank and of those that it "
                              "meets cannot be aligned");
  }
  tables::RowWriter<tables::columns::kRankCalls> row(out.AddTable("rank_calls"));
  meetings.Fill(shown, row);
}

}  // namespace profgauge::analysis::communication
