#include "analysis/communication/rank_calls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/tables/row_writer.h"

namespace profgauge {
namespace {

/// The rank that costs the others most, and the iteration in which it does.
struct Latest {
  std::size_t rank = 0;
  std::int64_t step = 0;
};

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

/// What a rank does in the iteration: its matched calls by position in Matching::calls.
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

  /// Latest, median, earliest; fewer where it meets one rank alone or clocks are not known.
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

  void Fill(const std::vector<Shown>& shown, Table& table) const {
    Ns begin = shown.front().step.start;
    for (const Shown& rank : shown) begin = std::min(begin, rank.step.start);
    for (const Shown& rank : shown) {
      const RankFacts& facts = ranks_[rank.rank];
      RowWriter row(table);
      row.Integer(facts.rank).Text(rank.role).Integer(latest_.step).Absent();
      row.Text("iteration").Absent();
      row.Integer(rank.step.start - begin).Integer(rank.step.length()).Absent().Absent();
      std::size_t count = 0;
      for (std::size_t i = 0; i < facts.calls.size() && count < kCallsShown; ++i) {
        const CollectiveCall& call = facts.calls[i];
        if (!call.in_iterations || call.iteration != latest_.step) continue;
        ++count;
        Append(rank, i, begin, table);
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

  void Append(const Shown& rank, std::size_t at, Ns begin, Table& table) const {
    const CollectiveCall& call = ranks_[rank.rank].calls[at];
    const auto met = met_.find({rank.rank, at});
    RowWriter row(table);
    row.Integer(ranks_[rank.rank].rank).Text(rank.role).Integer(latest_.step);
    if (met == met_.end())
      row.Absent();
    else
      row.Integer(static_cast<std::int64_t>(met->second));
    row.Text(call.name).Text(call.group);
    row.Integer(clocks_.of_rank[rank.rank]->Align(call.time.start) - begin);
    row.Integer(call.time.length());
    if (call.transfer < 0) {
      row.Absent().Absent();
    } else {
      row.Integer(call.time.length() - call.transfer).Integer(call.transfer);
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
                   const Clocks& clocks, Output& out) {
  const std::optional<Latest> latest = FindLatest(blame);
  if (!latest) return out.SetTableAbsent("rank_calls", "no rank is known to be late for others");
  const Meetings meetings(ranks, matching, clocks, *latest);
  const std::vector<Shown> shown = meetings.Choose();
  if (shown.size() < 2) {
    return out.SetTableAbsent("rank_calls",
                              "the clocks of the late rank and of those that it "
                              "meets cannot be aligned");
  }
  meetings.Fill(shown, out.AddTable("rank_calls"));
}

}  // namespace profgauge
