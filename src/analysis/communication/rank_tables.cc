#include "analysis/communication/rank_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/rank_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/links.h"
#include "analysis/communication/slowdown.h"
#include "analysis/iterations/observed.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/collectives.h"

namespace profgauge::analysis::communication {
namespace {

/// The rank with the highest cost for the others, and its most costly iteration.
struct Latest {
  std::size_t rank = 0;
  std::int64_t step = 0;
};

/// The straggler in its worst iteration; without a straggler, the worst of all ranks. None if no
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

/// A rank's calls in the iteration: positions in Matching::calls.
struct Shown {
  std::size_t rank = 0;
  std::string_view role;
  Span step;  ///< On the common clock.
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

  /// Chooses the latest, a median and the earliest rank; fewer if there is only one other rank or
  /// clocks are unknown. The earliest is the rank that waits longest in its calls with the latest.
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
  /// rank's iteration precedes the rows of its calls.
  void Fill(const std::vector<Shown>& shown,
            catalog::RowWriter<catalog::columns::kRankCalls>& row) const {
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
              catalog::RowWriter<catalog::columns::kRankCalls>& row) const {
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
  std::map<std::size_t, Ns> waiting_;  ///< In its calls with the latest rank.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> met_;  ///< (rank, call) to match.
};

}  // namespace

void FillRankCalls(std::span<const RankFacts> ranks, const Matching& matching, const Blame& blame,
                   const Clocks& clocks, catalog::Output& out) {
  const std::optional<Latest> latest = FindLatest(blame);
  if (!latest) return out.SetTableAbsent("rank_calls", "no rank is known to be late for others");
  const Meetings meetings(ranks, matching, clocks, *latest);
  const std::vector<Shown> shown = meetings.Choose();
  if (shown.size() < 2) {
    return out.SetTableAbsent("rank_calls",
                              "the clocks of the late rank and of those that it "
                              "meets cannot be aligned");
  }
  catalog::RowWriter<catalog::columns::kRankCalls> row(out.AddTable("rank_calls"));
  meetings.Fill(shown, row);
}

namespace {

constexpr std::array<std::string_view, 5> kParts = {"iteration", "computing", "transfer", "waiting",
                                                    "lateness"};

/// A value of an iteration, and its rank.
using Valued = std::pair<Ns, std::int64_t>;
struct Spread {
  std::array<std::vector<Valued>, kParts.size()> values;  ///< In the order of kParts.
};

struct Sums {
  Ns waiting = 0, transfer = 0;
};

/// Sums of matched calls by iteration number.
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

/// If ranks have equal values, the smallest number is named.
void AppendSpread(std::int64_t step, std::string_view part, std::vector<Valued> values,
                  catalog::RowWriter<catalog::columns::kRankSpread>& row) {
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
                Ns cost, bool judged, catalog::RowWriter<catalog::columns::kRankSteps>& row) {
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

// One row per rank and iteration; the spread over ranks per iteration and part.
void FillSteps(std::span<const RankFacts> ranks, const Blame& blame, catalog::Output& out) {
  const bool has_timeline = std::any_of(ranks.begin(), ranks.end(),
                                        [](const RankFacts& rank) { return rank.has_timeline; });
  if (ranks.size() < 2 || !has_timeline) {
    const char* const reason = ranks.size() < 2
                                   ? "needs the profiles of at least two ranks"
                                   : "needs the times of events, which this format does not have";
    out.SetTableAbsent("rank_steps", reason);
    return out.SetTableAbsent("rank_spread", reason);
  }
  catalog::RowWriter<catalog::columns::kRankSteps> row(out.AddTable("rank_steps"));
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
  catalog::RowWriter<catalog::columns::kRankSpread> spread(out.AddTable("rank_spread"));
  for (auto& [step, of_step] : spreads) {
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      AppendSpread(step, kParts[part], std::move(of_step.values[part]), spread);
    }
  }
}

namespace {

constexpr std::string_view kNoPipeline =
    "no matched transfers between ranks that form a chain of stages";

// Appends the columns from `waiting_time` to `straggles`.
void AppendLateness(const RankLateness& lateness, bool judged, bool straggles,
                    catalog::RowWriter<catalog::columns::kRanks>& write) {
  write.IntegerIf("waiting_time"_col, lateness.matched, lateness.waiting)
      .IntegerIf("transfer_time"_col, lateness.matched, lateness.transfer)
      .IntegerIf("late_cost"_col, judged, lateness.cost)
      .IntegerIf("late_once"_col, judged, lateness.once)
      .IntegerIf("last_calls"_col, judged, lateness.last_calls)
      .IntegerIf("straggles"_col, judged, straggles ? 1 : 0);
}

// The one-off part of exposed communication. `stages`: time of waiting for other pipeline stages,
// by iteration. It is excluded, because it follows from the schedule.
Ns ExposedOnce(const RankFacts& rank, std::span<const Ns> stages) {
  std::map<std::int64_t, std::int64_t> calls;
  for (const CollectiveCall& call : rank.calls) calls[call.iteration] += call.in_iterations ? 1 : 0;
  std::vector<Ns> exposed;
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < rank.steps.size(); ++i) {
    const Ns waiting = stages.empty() ? 0 : stages[i];
    exposed.push_back(std::max<Ns>(0, rank.steps[i].parts.transfer_exposed - waiting));
    counts.push_back(calls[rank.steps[i].number]);
  }
  return iterations::OnlyOnce(exposed, counts);
}

// The one-off part of its computing time.
Ns ComputedOnce(const RankFacts& rank) {
  std::vector<Ns> computed;
  for (const RankFacts::Step& step : rank.steps) {
    computed.push_back(step.parts.compute_only + step.parts.overlapped);
  }
  return iterations::OnlyOnce(computed);
}

// The share of its computing time that is not one-off.
double UsualShare(const RankFacts& rank) {
  const auto compute = static_cast<double>(rank.times.compute);
  return compute > 0 ? std::max(0.0, 1 - static_cast<double>(ComputedOnce(rank)) / compute) : 1;
}

// Returns slowdowns without one-off time, because a slow iteration does not make a slow device. If
// all ranks have one (e.g. an evaluation), all are judged without it.
std::vector<std::optional<double>> UsualSlowdowns(std::span<const RankFacts> ranks) {
  auto slowdowns = KernelSlowdowns(ranks);
  std::vector<double> usual;
  for (const RankFacts& rank : ranks) usual.push_back(UsualShare(rank));
  const double typical = Median(usual);
  for (std::size_t i = 0; i < slowdowns.size(); ++i) {
    if (slowdowns[i] && typical > 0) *slowdowns[i] *= usual[i] / typical;
  }
  return slowdowns;
}

// Appends the columns from `iterations` to `untold_transfers`.
void AppendTimes(const RankFacts& rank, std::span<const Ns> stages, bool is_unknown,
                 catalog::RowWriter<catalog::columns::kRanks>& write) {
  const RankTimes& times = rank.times;
  const Ns computed_once = std::min(ComputedOnce(rank), times.compute);
  const auto count = static_cast<std::int64_t>(rank.steps.size());
  write.Integer("iterations"_col, count)
      .IntegerIf("per_iteration"_col, count > 0, count > 0 ? rank.step_time() / count : 0)
      .Integer("iteration_time"_col, rank.step_time())
      .Integer("compute_time"_col, times.compute)
      .IntegerIf("compute_once"_col, computed_once > 0, computed_once)
      .IntegerIf("communication_time"_col, !is_unknown, times.communication)
      .IntegerIf("exposed_communication"_col, !is_unknown, times.exposed())
      .IntegerIf("exposed_once"_col, !is_unknown && rank.has_device, ExposedOnce(rank, stages))
      .IntegerIf("stage_waiting"_col, !stages.empty(),
                 std::accumulate(stages.begin(), stages.end(), Ns{0}))
      .IntegerIf("untold_transfers"_col, !is_unknown, UntoldTransfers(rank));
}

std::optional<double> IdleOf(const RankFacts& rank) {
  const RankTimes& times = rank.times;
  if (!rank.has_device || times.observed <= 0) return std::nullopt;
  return static_cast<double>(times.observed - times.busy) / static_cast<double>(times.observed);
}

struct SizeRow {
  const CollectiveCall* example = nullptr;
  std::vector<Ns> durations, transfers;
  std::int64_t bytes = 0, matched_bytes = 0;
  Ns time = 0, exposed = 0, transfer = 0;
};

// Bandwidths use only the transfer of matched calls: other durations include waiting.
void AppendSize(SizeRow row, std::int64_t size, std::int64_t from,
                catalog::RowWriter<catalog::columns::kMessageSizes>& cells) {
  const CollectiveCall& call = *row.example;
  std::sort(row.durations.begin(), row.durations.end());
  std::sort(row.transfers.begin(), row.transfers.end());
  std::optional<double> algorithm, bus;
  if (row.transfer > 0 && !call.is_uneven) {
    algorithm = static_cast<double>(row.matched_bytes) * 1e9 / static_cast<double>(row.transfer);
    if (size >= 2) bus = *algorithm * classify::BusFactor(call.kind, size);
  }
  cells.Text("group"_col, call.group)
      .Text("name"_col, call.name)
      .Text("dtype"_col, call.dtype)
      .Known("group_size"_col, size)
      .Integer("from"_col, from)
      .Integer("calls"_col, static_cast<std::int64_t>(row.durations.size()))
      .Integer("bytes"_col, row.bytes)
      .Integer("time"_col, row.time)
      .Integer("median"_col, QuantileOf(row.durations, 50))
      .Integer("p95"_col, QuantileOf(row.durations, 95));
  if (row.transfers.empty()) {
    cells.Absent("transfer_median"_col, "transfer_p95"_col);
  } else {
    cells.Integer("transfer_median"_col, QuantileOf(row.transfers, 50))
        .Integer("transfer_p95"_col, QuantileOf(row.transfers, 95));
  }
  cells.KnownReal("bandwidth"_col, algorithm.value_or(-1))
      .KnownReal("bus_bandwidth"_col, bus.value_or(-1));
  cells.Share("exposed_share"_col, static_cast<double>(row.exposed), static_cast<double>(row.time));
}

}  // namespace

std::string NobodyBlamed(const Blame& blame) {
  if (blame.ranks.size() < 2) return std::string(kNeedsRanks);
  if (blame.groups == 0) return "no collective was recorded";
  if (blame.judged_groups == 0) {
    return fmt::format(
        "of no process group all members are in the run with at least {:g} % of its collectives "
        "matched",
        100 * knowledge::kCollectivesMatchedShare.value());
  }
  if (blame.too_few) return "ranks are late too rarely to separate a pattern from chance";
  return blame.jitter ? "ranks take turns in being late; none causes most of the waiting"
                      : "no rank is late for the others";
}

// A kernel slowdown is the larger of two: the rank's among the ranks, and that of its slowest GPU
// among its GPUs.
void FillRanks(std::span<const RankFacts> ranks, std::span<const RankParts> parts,
               const Blame& blame, const Pipeline& pipeline, bool is_unknown,
               catalog::Output& out) {
  if (std::none_of(ranks.begin(), ranks.end(),
                   [](const RankFacts& rank) { return rank.has_timeline; })) {
    return out.SetTableAbsent("ranks",
                              "needs the times of events, which this format does not have; it has "
                              "only durations or sums");
  }
  Table& table = out.AddTable("ranks");
  catalog::RowWriter<catalog::columns::kRanks> write(table);
  auto slowdowns = UsualSlowdowns(ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool straggles = blame.straggler == i;
    write.Integer("id"_col, ranks[i].rank).Absent("host"_col);
    const std::span<const Ns> stages =
        pipeline.stages.empty() ? std::span<const Ns>() : pipeline.waiting[i];
    AppendTimes(ranks[i], stages, is_unknown, write);
    AppendLateness(blame.ranks[i], blame.judged_groups > 0, straggles, write);
    const bool has_cause = straggles && !blame.cause.empty();
    write.Text("late_cause"_col, has_cause ? out.Told(blame.cause) : "")
        .Real("idle"_col, IdleOf(ranks[i]));
    AppendParts(parts[i], write);
    const bool is_of_gpu = ranks[i].gpu_slowdown > slowdowns[i].value_or(0);
    if (is_of_gpu) slowdowns[i] = ranks[i].gpu_slowdown;
    write.Real("kernel_slowdown"_col, slowdowns[i])
        .Text("slow_gpu"_col, is_of_gpu ? std::to_string(ranks[i].slow_gpu) : "");
    const SharedStreams& shared = ranks[i].shared;
    write.Share("stream_shared"_col, shared.time, shared.all)
        .IntegerIf("shared_calls"_col, shared.all > 0, shared.calls)
        .Text("shared_streams"_col, shared.streams);
  }
  catalog::ColumnOf<catalog::columns::kRanks>(table, "host"_col)
      ->MarkAbsent("the host name was not recorded");
  if (pipeline.stages.empty()) {
    catalog::ColumnOf<catalog::columns::kRanks>(table, "stage_waiting"_col)
        ->MarkAbsent(std::string(kNoPipeline));
  }
  if (!blame.straggler)
    catalog::ColumnOf<catalog::columns::kRanks>(table, "late_cause"_col)
        ->MarkAbsent(NobodyBlamed(blame));
  if (blame.judged_groups == 0) {
    for (const char* column : {"late_cost", "late_once", "last_calls", "straggles"}) {
      table.Find(column)->MarkAbsent(NobodyBlamed(blame));
    }
  }
  if (std::none_of(slowdowns.begin(), slowdowns.end(),
                   [](const auto& slowdown) { return slowdown.has_value(); })) {
    catalog::ColumnOf<catalog::columns::kRanks>(table, "kernel_slowdown"_col)
        ->MarkAbsent("no kernel is launched equally often by three ranks or more");
  }
}

// `transfer_time` is the sum over all members of the group.
void FillGroups(std::span<const RankFacts> ranks, const Matching& matching, catalog::Output& out) {
  if (matching.groups.empty()) {
    return out.SetTableAbsent("process_groups", "no collective was recorded");
  }
  Table& table = out.AddTable("process_groups");
  catalog::RowWriter<catalog::columns::kProcessGroups> row(table);
  std::vector<Ns> transfer(matching.groups.size(), 0);
  for (const MatchedCall& call : matching.calls) {
    if (call.transfer < 0) continue;
    transfer[call.group] += call.transfer * static_cast<Ns>(call.members.size());
  }
  const std::vector<LinkSpeed> links = MeasureLinks(ranks, matching);
  for (std::size_t i = 0; i < matching.groups.size(); ++i) {
    const GroupMatch& group = matching.groups[i];
    row.Text("name"_col, group.name)
        .Text("description"_col, group.description)
        .Known("size"_col, group.size)
        .Integer("present"_col, static_cast<std::int64_t>(group.present.size()))
        .Integer("calls"_col, group.calls)
        .Integer("matched_calls"_col, group.matched_calls)
        .Integer("time"_col, group.time)
        .Share("matched_share"_col, static_cast<double>(group.matched_time),
               static_cast<double>(group.time))
        .Integer("transfer_time"_col, transfer[i])
        .Bool("judged"_col, group.MayBlame())
        .KnownReal("slowdown"_col, links[i].slowdown.value_or(-1))
        .IntegerIf("slow_time"_col, links[i].slowdown.has_value(), links[i].extra)
        .Text("slow_pair"_col, links[i].pair);
  }
  if (std::none_of(links.begin(), links.end(),
                   [](const LinkSpeed& link) { return link.slowdown.has_value(); })) {
    for (const char* column : {"slowdown", "slow_time", "slow_pair"}) {
      table.Find(column)->MarkAbsent(
          "no two groups or pairs of ranks have matched calls of one "
          "kind and size");
    }
  }
}

// Sizes are grouped by powers of 2: calls of 5 and of 7 bytes are in the row for 4.
void FillSizes(std::span<const RankFacts> ranks, catalog::Output& out) {
  using Key =
      std::tuple<std::string_view, std::string_view, std::string_view, std::int64_t, std::int64_t>;
  std::map<Key, SizeRow> rows;
  for (const RankFacts& rank : ranks) {
    for (const CollectiveCall& call : rank.calls) {
      if (!call.in_iterations || call.bytes < 0) continue;
      const std::int64_t from =
          static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(call.bytes)));
      SizeRow& row = rows[{call.group, call.name, call.dtype, GroupSizeOf(call, ranks), from}];
      if (row.example == nullptr) row.example = &call;
      row.durations.push_back(call.time.length());
      row.time += call.time.length();
      row.bytes += call.bytes;
      row.exposed += call.exposed;
      if (call.transfer < 0) continue;
      row.transfers.push_back(call.transfer);
      row.transfer += call.transfer;
      row.matched_bytes += call.bytes;
    }
  }
  if (rows.empty()) {
    return out.SetTableAbsent("message_sizes", "no collective of a known size was recorded" +
                                                   HowCollectivesAreRecorded(out));
  }
  Table& table = out.AddTable("message_sizes");
  catalog::RowWriter<catalog::columns::kMessageSizes> write(table);
  bool any_matched = false;
  for (auto& [key, row] : rows) {
    any_matched = any_matched || !row.transfers.empty();
    AppendSize(std::move(row), std::get<3>(key), std::get<4>(key), write);
  }
  if (any_matched) return;
  for (const char* column : {"transfer_median", "transfer_p95", "bandwidth", "bus_bandwidth"}) {
    table.Find(column)->MarkAbsent("calls could not be matched over ranks");
  }
}

void FillStages(const Pipeline& pipeline, catalog::Output& out) {
  if (pipeline.stages.empty()) {
    out.SetTableAbsent("pipeline", std::string(kNoPipeline));
    return out.SetAbsent(metric::kPipelineBubbleShare, std::string(kNoPipeline));
  }
  catalog::RowWriter<catalog::columns::kPipeline> row(out.AddTable("pipeline"));
  Ns bubble = 0, whole = 0;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Pipeline::Stage& stage = pipeline.stages[i];
    bubble += stage.bubble;
    whole += stage.iteration_time;
    row.Integer("id"_col, static_cast<std::int64_t>(i))
        .Integer("ranks"_col, stage.ranks)
        .Integer("iteration_time"_col, stage.iteration_time)
        .Integer("computing"_col, stage.computing)
        .Integer("transfer"_col, stage.transfer)
        .Integer("bubble"_col, stage.bubble)
        .Share("bubble_share"_col, static_cast<double>(stage.bubble),
               static_cast<double>(stage.iteration_time));
    if (pipeline.microbatches > 0)
      row.Integer("microbatches"_col, pipeline.microbatches)
          .Real("ideal_share"_col, pipeline.ideal_share());
    else
      row.Absent("microbatches"_col, "ideal_share"_col);
  }
  if (whole > 0) {
    out.Set(metric::kPipelineBubbleShare, static_cast<double>(bubble) / static_cast<double>(whole));
  } else {
    out.SetAbsent(metric::kPipelineBubbleShare, "the iterations have no length");
  }
}

}  // namespace profgauge::analysis::communication
