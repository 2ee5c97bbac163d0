#include "analysis/communication/communication.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/catalog/rank_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/clocks.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/communication/rank_parts.h"
#include "analysis/communication/rank_tables.h"
#include "analysis/communication/run_metrics.h"
#include "base/format.h"
#include "base/metric_id.h"

namespace profgauge::analysis::communication {
namespace {

// Bytes, and the time of their transfer.
struct Moved {
  double bytes = 0;
  Ns time = 0;
  void Add(double more, Ns length) {
    bytes += more;
    time += length;
  }
  std::optional<double> bandwidth() const {
    return time > 0 ? std::optional(bytes * 1e9 / static_cast<double>(time)) : std::nullopt;
  }
};

struct CallSums {
  std::int64_t calls = 0, bytes = 0, sized = 0;
  Ns time = 0, exposed = 0, transfer = 0;
  // Bytes and time of calls with a known, even size. Matched calls count with their transfer, the
  // others with their duration, including waiting.
  Moved matched_calls, others;
  std::optional<double> best;  // Bytes per second of the fastest of these calls.
  bool matched = true;
  std::vector<std::uint32_t> events;  // Rows of the rank's device table.
};

struct CallRow {
  std::size_t rank = 0;
  const CollectiveCall* first = nullptr;  // Has the common kind, group, type and size.
  CallSums sums;
};

// Returns one row for each rank, name, group, group size and type. Rows of a rank are sorted by
// descending time. `first` points into the facts of the ranks.
std::vector<CallRow> SumCalls(std::span<const RankFacts> ranks) {
  using Key =
      std::tuple<std::size_t, std::string_view, std::string_view, std::int64_t, std::string_view>;
  std::map<Key, CallRow> rows;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const CollectiveCall& call : ranks[rank].calls) {
      if (!call.in_iterations) continue;
      CallRow& row = rows[{rank, call.name, call.group, call.group_size, call.dtype}];
      if (row.first == nullptr) row = {rank, &call, {}};
      CallSums& sums = row.sums;
      const Ns length = call.time.length();
      ++sums.calls;
      sums.time += length;
      sums.exposed += call.exposed;
      if (call.event != catalog::Output::kNoRow) sums.events.push_back(call.event);
      sums.matched = sums.matched && call.transfer >= 0;
      sums.transfer += std::max<Ns>(0, call.transfer);
      if (call.bytes < 0) continue;
      sums.bytes += call.bytes;
      ++sums.sized;
      if (call.is_uneven) continue;
      const auto bytes = static_cast<double>(call.bytes);
      // Waiting in a broadcast is unknown, so its bytes take the whole call.
      const Ns moved_in = call.has_root ? call.whole : call.transfer;
      const Ns least = moved_in >= 0 ? moved_in : length;
      const double bandwidth = least > 0 ? bytes * 1e9 / static_cast<double>(least) : 0;
      if (bandwidth > sums.best.value_or(0)) sums.best = bandwidth;
      if (moved_in >= 0) {
        sums.matched_calls.Add(bytes, moved_in);
      } else if (!call.has_root) {
        sums.others.Add(bytes, length);
      }
    }
  }
  std::vector<CallRow> result;
  for (auto& [key, row] : rows) result.push_back(row);
  std::stable_sort(result.begin(), result.end(), [](const CallRow& a, const CallRow& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.sums.time > b.sums.time;
  });
  return result;
}

// The number of ranks of the program, as far as known.
std::int64_t WorldSize(std::span<const RankFacts> ranks) {
  auto size = static_cast<std::int64_t>(ranks.size());
  for (const RankFacts& rank : ranks) {
    size = std::max(size, rank.world_size);
  }
  return size;
}

// None if the host communicates: it does not use the links of devices.
std::optional<double> ReachOf(const CallRow& row, std::int64_t size,
                              std::span<const RankFacts> ranks) {
  const RankFacts& rank = ranks[row.rank];
  if (rank.shared.all == 0) return std::nullopt;
  return LinkReach(*row.first, size, rank.machine, rank.groups, WorldSize(ranks));
}

void AppendRow(const CallRow& row, std::span<const RankFacts> ranks,
               catalog::RowWriter<catalog::columns::kCollectives>& write) {
  const CallSums& sums = row.sums;
  const std::int64_t size = GroupSizeOf(*row.first, ranks);
  const auto on_the_bus = [&](std::optional<double> bandwidth) -> std::optional<double> {
    if (!bandwidth || size < 2) return std::nullopt;
    return *bandwidth * classify::BusFactor(row.first->kind, size);
  };
  const RankFacts& rank = ranks[row.rank];
  const bool any_matched = sums.matched_calls.time > 0;
  const bool all_sized = sums.sized == sums.calls;
  write.Integer("rank"_col, rank.rank)
      .Text("name"_col, row.first->name)
      .Text("group"_col, row.first->group)
      .IntegerIf("group_size"_col, size > 0, size)
      .Text("dtype"_col, row.first->dtype)
      .Integer("calls"_col, sums.calls)
      .IntegerIf("bytes"_col, all_sized, sums.bytes)
      .IntegerIf("mean_bytes"_col, all_sized, sums.bytes / sums.calls)
      .Integer("time"_col, sums.time)
      .Integer("mean"_col, sums.time / sums.calls)
      .IntegerIf("transfer_time"_col, sums.matched, sums.transfer)
      .IntegerIf("exposed_time"_col, rank.has_device, sums.exposed)
      .Real("bandwidth"_col, sums.matched_calls.bandwidth())
      .Real("bus_bandwidth"_col, on_the_bus(sums.matched_calls.bandwidth()))
      .Real("bus_bandwidth_unmatched"_col,
            any_matched ? std::nullopt : on_the_bus(sums.others.bandwidth()))
      .Real("best_bandwidth"_col, on_the_bus(sums.best))
      .Real("links_bandwidth"_col, ReachOf(row, size, ranks));
}

// Ranks of a program cannot work for long without each other, so a profile without known
// collectives does not prove their absence: their kernels may have names that no rule knows.
void SetNothingFound(std::span<const RankFacts> ranks, catalog::Output& out) {
  std::string reason = fmt::format(
      "the program has {} ranks, but no recorded kernel is known to communicate; list such kernels "
      "in the policy's `tensor_core: {{names: FILE}}`",
      WorldSize(ranks));
  const std::string& suspects = ranks.front().suspects;
  if (!suspects.empty()) reason += "; these behave like it: " + suspects;
  for (const MetricId id : {metric::kCommunicationTime, metric::kCommunicationOverlap,
                            metric::kCommunicationExposedShare, metric::kBreakdownCommunication,
                            metric::kBreakdownCommunicationTime}) {
    out.SetAbsent(id, reason);
  }
  for (const char* column : {"communication_time", "exposed_communication"}) {
    out.MarkColumnAbsent("ranks", column, reason);
  }
}

// Undoes all matches: the profiles are of different runs, so their calls do not belong together.
void Unmatch(std::span<RankFacts> ranks, Matching& matching) {
  matching.calls.clear();
  for (GroupMatch& group : matching.groups) group.matched_calls = group.matched_time = 0;
  for (RankFacts& rank : ranks) {
    for (CollectiveCall& call : rank.calls) call.transfer = -1;
  }
}

// Sets `whole` of calls with a root, whose ranks end separately.
void SetWhole(std::span<RankFacts> ranks, const Matching& matching, const Clocks& clocks) {
  for (const MatchedCall& matched : matching.calls) {
    if (matched.transfer >= 0) continue;
    std::optional<Span> whole;
    bool is_aligned = true;
    for (const MatchedCall::Member& member : matched.members) {
      CollectiveCall& call = ranks[member.rank].calls[member.call];
      call.has_root = true;
      const auto& clock = clocks.of_rank[member.rank];
      is_aligned = is_aligned && clock.has_value();
      if (!clock) continue;
      const Span time = {clock->Align(call.time.start), clock->Align(call.time.end)};
      whole =
          whole ? Span{std::min(whole->start, time.start), std::max(whole->end, time.end)} : time;
    }
    if (!is_aligned || !whole) continue;
    for (const MatchedCall::Member& member : matched.members) {
      ranks[member.rank].calls[member.call].whole = whole->length();
    }
  }
}

// The note states the accuracy: the spread of matched calls on the same clocks.
void SetStepSkew(std::span<const RankFacts> ranks, const Clocks& clocks, catalog::Output& out) {
  if (ranks.size() < 2) return out.SetAbsent(metric::kRankStepSkew, std::string(kNeedsRanks));
  if (!clocks.complete()) {
    return out.SetAbsent(metric::kRankStepSkew,
                         "the clocks of the ranks cannot be aligned: no matched collectives join "
                         "all of them");
  }
  const auto skew = StepSkew(ranks, clocks);
  if (!skew)
    return out.SetAbsent(metric::kRankStepSkew, "there is no iteration that all ranks have");
  out.Set(metric::kRankStepSkew, *skew);
  out.SetNote(metric::kRankStepSkew,
              fmt::format("clocks are aligned to {}",
                          FormatDuration(static_cast<double>(clocks.residual))));
}

// Whether several ranks use devices, but none has a known collective.
bool IsUnknown(std::span<const RankFacts> ranks) {
  const bool has_device = std::any_of(ranks.begin(), ranks.end(),
                                      [](const RankFacts& rank) { return rank.has_device; });
  return has_device && WorldSize(ranks) > 1 &&
         std::all_of(ranks.begin(), ranks.end(),
                     [](const RankFacts& rank) { return rank.calls.empty(); });
}

// The exposed share refers to the summed windows of all ranks' devices.
void SetCommunication(std::span<const RankFacts> ranks, catalog::Output& out) {
  RankTimes all;
  for (const RankFacts& facts : ranks) {
    const RankTimes& rank = facts.times;
    all.communication += rank.communication;
    all.hidden += rank.hidden;
    all.window += rank.window;
  }
  // Without device work on any rank, communication is unknown.
  if (all.window <= 0 && all.communication == 0) {
    out.SetAbsent(metric::kCommunicationTime, out.Gap(Capability::kDeviceEvents));
  } else {
    out.Set(metric::kCommunicationTime, all.communication);
  }
  if (all.communication > 0) {
    out.Set(metric::kCommunicationOverlap,
            static_cast<double>(all.hidden) / static_cast<double>(all.communication));
  } else {
    out.SetAbsent(metric::kCommunicationOverlap, "no collective runs in the window");
  }
  if (all.window > 0) {
    out.Set(metric::kCommunicationExposedShare,
            static_cast<double>(all.exposed()) / static_cast<double>(all.window));
  } else {
    out.SetAbsent(metric::kCommunicationExposedShare, "the window has no length");
  }
}

// The largest minus the smallest computing time of a rank, divided by the mean.
void SetImbalance(std::span<const RankFacts> ranks, catalog::Output& out) {
  if (ranks.size() < 2) {
    out.SetAbsent(metric::kRankImbalance, "needs the profiles of at least two ranks");
    return;
  }
  Ns min = ranks.front().times.compute, max = min, sum = 0;
  for (const RankFacts& rank : ranks) {
    min = std::min(min, rank.times.compute);
    max = std::max(max, rank.times.compute);
    sum += rank.times.compute;
  }
  if (sum == 0) {
    out.SetAbsent(metric::kRankImbalance,
                  out.Told("no rank computes on a {{ device.device }} in its window"));
    return;
  }
  const double mean = static_cast<double>(sum) / static_cast<double>(ranks.size());
  out.Set(metric::kRankImbalance, static_cast<double>(max - min) / mean);
}

}  // namespace

// Matching comes first, because all else needs `transfer`. Afterwards the clocks show whether the
// matched calls are of one run.
void AddCommunication(std::span<RankFacts> ranks, catalog::Output& out) {
  Matching matching = MatchFacts(ranks);
  Clocks clocks = AlignClocks(ranks, matching);
  if (AreApart(ranks, matching, clocks)) {
    out.AddRemark(
        std::string(kRanksApart),
        fmt::format(
            "collectives with one number end {} apart on different ranks although clocks are "
            "aligned: the profiles are of different runs, so waiting between ranks is unknown",
            FormatDuration(static_cast<double>(clocks.residual))));
    Unmatch(ranks, matching);
    clocks = AlignClocks(ranks, matching);
  }
  SetWhole(ranks, matching, clocks);
  const Blame blame = FindBlame(ranks, matching);
  std::vector<RankParts> parts;
  for (const RankFacts& rank : ranks) parts.push_back(MatchedParts(rank));
  const std::vector<CallRow> rows = SumCalls(ranks);
  SetCommunication(ranks, out);
  SetMatching(matching, parts, out);
  SetImbalance(ranks, out);
  SetStraggler(blame, ranks, parts, out);
  SetMissingRanks(ranks, out);
  const bool is_unknown = IsUnknown(ranks);
  const Pipeline pipeline = FindPipeline(ranks, parts, matching);
  FillRanks(ranks, parts, blame, pipeline, is_unknown, out);
  FillSteps(ranks, blame, out);
  if (is_unknown) SetNothingFound(ranks, out);
  FillGroups(ranks, matching, out);
  FillSizes(ranks, out);
  FillStages(pipeline, out);
  SetStepSkew(ranks, clocks, out);
  FillRankCalls(ranks, matching, blame, clocks, out);
  if (rows.empty()) {
    out.SetTableAbsent("collectives", "no collective was recorded");
    return;
  }
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (rows[row].sums.events.empty()) continue;
    std::vector<std::uint32_t>& row_of = out.RowsOfDevice("collectives", rows[row].rank);
    row_of.resize(ranks[rows[row].rank].device_rows, catalog::Output::kNoRow);
    for (const std::uint32_t event : rows[row].sums.events) row_of[event] = row;
  }
  catalog::RowWriter<catalog::columns::kCollectives> write(out.AddTable("collectives"));
  for (const CallRow& row : rows) AppendRow(row, ranks, write);
  const bool knows_links = std::any_of(
      ranks.begin(), ranks.end(), [](const RankFacts& rank) { return rank.machine.links.bus > 0; });
  const bool any_near = std::any_of(rows.begin(), rows.end(), [&](const CallRow& row) {
    return ReachOf(row, GroupSizeOf(*row.first, ranks), ranks).has_value();
  });
  if (any_near) return;
  out.MarkColumnAbsent("collectives", "links_bandwidth",
                       knows_links ? "no collective is known to use all links of one machine"
                                   : out.Told("the bandwidth of the links between these "
                                              "{{ device.device }}s is unknown"));
}

std::string HowCollectivesAreRecorded(const catalog::Output& out) {
  const Accelerator by = out.accelerator();
  if (by == Accelerator::kNpu || by == Accelerator::kNeuron || by == Accelerator::kTpu) return {};
  return "; PyTorch's profiler records them from 2.2 on";
}

// Ranks that took part in collectives but have no profile.

namespace {

// Names ranks without a profile: "ranks 3, 5 and 9 more of 64".
std::string ListMissing(std::span<const RankFacts> ranks, std::int64_t world) {
  constexpr std::size_t kMissingRanksNamed = 8;
  std::set<std::int64_t> present;
  for (const RankFacts& rank : ranks) present.insert(rank.rank);
  // A file may contain any world size, so this does not loop over it.
  const auto count =
      static_cast<std::size_t>(world) -
      static_cast<std::size_t>(std::distance(present.lower_bound(0), present.lower_bound(world)));
  std::string list;
  std::size_t named = 0;
  for (std::int64_t rank = 0; rank < world && named < std::min(count, kMissingRanksNamed); ++rank) {
    if (present.contains(rank)) continue;
    list += fmt::format("{}{}", named++ == 0 ? "" : ", ", rank);
  }
  if (count > kMissingRanksNamed) list += fmt::format(" and {} more", count - kMissingRanksNamed);
  return fmt::format("of {} ranks these are missing: {}", world, list);
}

// A lower bound of the world size.
std::int64_t LargestGroup(std::span<const RankFacts> ranks) {
  std::int64_t largest = -1;
  for (const RankFacts& rank : ranks) {
    for (const CollectiveCall& call : rank.calls) largest = std::max(largest, call.group_size);
    for (const ProcessGroup& group : rank.groups) largest = std::max(largest, group.size);
  }
  return largest;
}

}  // namespace

void SetMissingRanks(std::span<const RankFacts> ranks, catalog::Output& out) {
  std::int64_t world = -1;
  for (const RankFacts& rank : ranks) {
    world = std::max(world, rank.world_size);
  }
  if (ranks.size() < 2) {
    const std::int64_t known = std::max(world, LargestGroup(ranks));
    return out.SetAbsent(metric::kProfileRanksMissing,
                         known > 1 ? fmt::format("one rank of {} was given, which is judged alone; "
                                                 "`ranks: {{expect: {}}}` in a policy asks for all",
                                                 known, known)
                                   : std::string(kNeedsRanks));
  }
  const auto count = static_cast<std::int64_t>(ranks.size());
  if (const std::int64_t largest = LargestGroup(ranks); world < 0 && largest > count) {
    out.Set(metric::kProfileRanksMissing, largest - count);
    return out.SetNote(metric::kProfileRanksMissing,
                       fmt::format("at least: the largest process group has {}", largest));
  }
  if (world < 0) {
    return out.SetAbsent(metric::kProfileRanksMissing, "the world size was not recorded");
  }
  const std::int64_t missing = std::max<std::int64_t>(0, world - count);
  out.Set(metric::kProfileRanksMissing, missing);
  if (missing > 0) out.SetNote(metric::kProfileRanksMissing, ListMissing(ranks, world));
}

}  // namespace profgauge::analysis::communication
