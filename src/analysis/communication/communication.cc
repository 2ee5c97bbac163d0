#include "analysis/communication/communication.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/classify/device_spans.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/matching.h"
#include "analysis/communication/rank_parts.h"
#include "analysis/communication/suspects.h"
#include "analysis/tables/row_writer.h"
#include "base/format.h"

namespace profgauge {
namespace {

// Of one rank, over its GPUs and in its window.
struct RankTimes {
  Ns compute = 0, communication = 0, hidden = 0;
  Ns window = 0;  // Of all its GPUs together.
  Ns busy = 0;
  Ns exposed() const { return communication - hidden; }
};

// Where no GPU communicates, gloo's ranges do, and operators on the host compute.
void AddHostTimes(const RankContext& rank, std::span<const CollectiveCall> calls,
                  std::span<const DeviceSpans> devices, RankTimes& times) {
  const Profile& profile = *rank.profile;
  std::vector<Span> communication, compute;
  for (const CollectiveCall& call : calls) communication.push_back(call.time);
  communication = Clip(Merge(std::move(communication)), rank.window());
  if (devices.empty()) {
    for (std::size_t row = 0; row < profile.host.size(); ++row) {
      if (profile.host.kind[row] != HostKind::kOp) continue;
      const std::string_view name = profile.Name(profile.host.name[row]);
      if (name.starts_with("gloo:") || IsFrameworkRange(name)) continue;
      compute.push_back(
          {profile.host.start[row], profile.host.start[row] + profile.host.duration[row]});
    }
  } else {
    for (const DeviceSpans& device : devices) {
      compute.insert(compute.end(), device.compute.begin(), device.compute.end());
    }
  }
  times.communication = Length(communication);
  times.hidden = OverlapLength(communication, Merge(std::move(compute)));
  if (devices.empty()) times.window = rank.window().length();
}

RankTimes MeasureRank(const RankContext& rank, std::span<const CollectiveCall> calls) {
  RankTimes times;
  const auto devices = CollectDeviceSpans(*rank.profile, rank.classes);
  for (const DeviceSpans& device : devices) {
    const Span window = rank.window();
    const std::vector<Span> communication = Clip(device.communication, window);
    times.compute += OverlapLength(device.compute, std::span(&window, 1));
    times.communication += Length(communication);
    times.hidden += OverlapLength(communication, device.compute);
    times.window += window.length();
    times.busy += OverlapLength(device.busy, std::span(&window, 1));
  }
  if (times.communication == 0 && !calls.empty()) AddHostTimes(rank, calls, devices, times);
  return times;
}

// Bytes in the time that they took.
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
  // Of the calls whose size is known and the same on all ranks: over the transfer of those that
  // could be matched, over the duration, waiting included, of the others.
  Moved matched_calls, others;
  bool matched = true;
  std::vector<std::uint32_t> events;  // Rows of the rank's device table.
};

struct CallRow {
  std::size_t rank = 0;
  const CollectiveCall* first = nullptr;  // Kind, group, type and size are those of all.
  CallSums sums;
};

std::vector<CallRow> SumCalls(std::span<const std::vector<CollectiveCall>> ranks) {
  using Key =
      std::tuple<std::size_t, std::string_view, std::string_view, std::int64_t, std::string_view>;
  std::map<Key, CallRow> rows;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const CollectiveCall& call : ranks[rank]) {
      if (!call.in_iterations) continue;
      CallRow& row = rows[{rank, call.name, call.group, call.group_size, call.dtype}];
      if (row.first == nullptr) row = {rank, &call, {}};
      CallSums& sums = row.sums;
      const Ns length = call.time.length();
      ++sums.calls;
      sums.time += length;
      sums.exposed += call.exposed;
      if (call.event != Output::kNoRow) sums.events.push_back(call.event);
      sums.matched = sums.matched && call.transfer >= 0;
      sums.transfer += std::max<Ns>(0, call.transfer);
      if (call.bytes < 0) continue;
      sums.bytes += call.bytes;
      ++sums.sized;
      if (call.is_uneven) continue;
      const auto bytes = static_cast<double>(call.bytes);
      if (call.transfer >= 0) {
        sums.matched_calls.Add(bytes, call.transfer);
      } else {
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

// How many ranks took part: as recorded or as shapes say, else the world's size, else those of this
// run.
std::int64_t GroupSize(const CollectiveCall& call, std::span<const RankContext> ranks) {
  if (call.group_size > 0) return call.group_size;
  const std::int64_t world = ranks.front().profile->distributed.world_size;
  if (world > 0) return world;
  return ranks.size() > 1 ? static_cast<std::int64_t>(ranks.size()) : -1;
}

// Where only one rank's part is known: the whole, by the size of the group.
void SizeByGroup(std::span<const RankContext> ranks, std::vector<CollectiveCall>& calls) {
  for (CollectiveCall& call : calls) {
    const std::int64_t size = call.bytes < 0 && call.chunk > 0 ? GroupSize(call, ranks) : -1;
    if (size > 0 && call.chunk < (std::int64_t{1} << 62) / size) call.bytes = call.chunk * size;
  }
}

void AppendRow(const CallRow& row, std::span<const RankContext> ranks, Table& table,
               StringPool& pool) {
  const CallSums& sums = row.sums;
  const auto text = [&](const char* column, const std::string& value) {
    if (value.empty())
      table.Find(column)->AddAbsent();
    else
      table.Find(column)->AddText(pool.Intern(value));
  };
  const auto number = [&](const char* column, bool known, std::int64_t value) {
    if (known)
      table.Find(column)->AddInteger(value);
    else
      table.Find(column)->AddAbsent();
  };
  const auto real = [&](const char* column, const std::optional<double>& value) {
    if (value)
      table.Find(column)->AddReal(*value);
    else
      table.Find(column)->AddAbsent();
  };
  table.Find("rank")->AddInteger(ranks[row.rank].rank);
  text("name", row.first->name);
  text("group", row.first->group);
  text("dtype", row.first->dtype);
  const std::int64_t size = GroupSize(*row.first, ranks);
  number("group_size", size > 0, size);
  number("calls", true, sums.calls);
  number("bytes", sums.sized == sums.calls, sums.bytes);
  number("mean_bytes", sums.sized == sums.calls, sums.bytes / sums.calls);
  number("time", true, sums.time);
  number("mean", true, sums.time / sums.calls);
  number("transfer_time", sums.matched, sums.transfer);
  number("exposed_time", ranks[row.rank].has_device(), sums.exposed);
  const auto on_the_bus = [&](const Moved& moved) -> std::optional<double> {
    const std::optional<double> bandwidth = moved.bandwidth();
    if (!bandwidth || size < 2) return std::nullopt;
    return *bandwidth * BusFactor(row.first->kind, size);
  };
  const bool any_matched = sums.matched_calls.time > 0;
  real("bandwidth", sums.matched_calls.bandwidth());
  real("bus_bandwidth", on_the_bus(sums.matched_calls));
  real("bus_bandwidth_unmatched", any_matched ? std::nullopt : on_the_bus(sums.others));
}

// On the bus, of one kind over all ranks and groups.
struct KindMoved {
  Moved matched, others;
  bool alone = false;  // In groups of one rank, which move nothing.
};

KindMoved SumKind(std::span<const CallRow> rows, std::span<const RankContext> ranks,
                  CollectiveKind kind) {
  KindMoved sums;
  for (const CallRow& row : rows) {
    const std::int64_t size = GroupSize(*row.first, ranks);
    if (row.first->kind != kind || size <= 0) continue;
    if (size == 1) {
      sums.alone = true;
      continue;
    }
    const double factor = BusFactor(kind, size);
    const auto& [matched, others] = std::tie(row.sums.matched_calls, row.sums.others);
    sums.matched.Add(matched.bytes * factor, matched.time);
    sums.others.Add(others.bytes * factor, others.time);
  }
  return sums;
}

std::string WhyNoBandwidth(const KindMoved& sums) {
  if (sums.others.time > 0) {
    return "its calls could not be matched with those of the other ranks, so waiting cannot be "
           "told "
           "from transfer; give the recordings of all ranks";
  }
  if (sums.alone) return "its groups have one rank, so nothing is transferred";
  return "no such collective with a known size and group was recorded; PyTorch 2.2 and later "
         "record "
         "them";
}

void SetBusBandwidths(std::span<const CallRow> rows, std::span<const RankContext> ranks,
                      Output& out) {
  for (std::size_t k = 0; k < kCollectiveKinds; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    const std::string id = "communication." + std::string(CollectiveKindId(kind)) + ".busbw";
    if (FindMetric(id) == nullptr) continue;
    const KindMoved sums = SumKind(rows, ranks, kind);
    if (const auto bandwidth = sums.matched.bandwidth()) {
      out.Set(id, *bandwidth);
      out.SetAbsent(id + "_unmatched", "calls were matched over ranks: see " + id);
      continue;
    }
    out.SetAbsent(id, WhyNoBandwidth(sums));
    if (const auto bandwidth = sums.others.bandwidth()) {
      out.Set(id + "_unmatched", *bandwidth);
    } else {
      out.SetAbsent(id + "_unmatched", WhyNoBandwidth(sums));
    }
  }
}

// How many ranks the program has, as far as known.
std::int64_t WorldSize(std::span<const RankContext> ranks) {
  auto size = static_cast<std::int64_t>(ranks.size());
  for (const RankContext& rank : ranks) {
    size = std::max(size, rank.profile->distributed.world_size);
  }
  return size;
}

// Of several ranks none can do its work alone for long, so that none communicates is more than a
// recording can say: the kernels that do may go by names that no rule knows.
void SetNothingFound(std::span<const RankContext> ranks, Output& out) {
  std::string reason = fmt::format(
      "the program has {} ranks and no kernel of the recording is known to communicate; name those "
      "that do in the file that the policy gives under `tensor_core: {{names: FILE}}`",
      WorldSize(ranks));
  const std::string suspects = DescribeSuspects(ranks.front());
  if (!suspects.empty()) reason += "; these behave like it: " + suspects;
  for (const char* id :
       {"communication.time", "communication.overlap", "communication.exposed_share",
        "breakdown.communication", "breakdown.communication.time"}) {
    out.SetAbsent(id, reason);
  }
  for (const char* column : {"communication_time", "exposed_communication"}) {
    out.MarkColumnAbsent("ranks", column, reason);
  }
}

bool IsUnknown(std::span<const RankContext> ranks,
               std::span<const std::vector<CollectiveCall>> calls) {
  const bool has_device = std::any_of(ranks.begin(), ranks.end(),
                                      [](const RankContext& rank) { return rank.has_device(); });
  return has_device && WorldSize(ranks) > 1 &&
         std::all_of(calls.begin(), calls.end(),
                     [](const auto& of_rank) { return of_rank.empty(); });
}

void SetCommunication(std::span<const RankTimes> times, Output& out) {
  RankTimes all;
  for (const RankTimes& rank : times) {
    all.communication += rank.communication;
    all.hidden += rank.hidden;
    all.window += rank.window;
  }
  // Without device work in any rank nothing says that there was none.
  if (all.window <= 0 && all.communication == 0) {
    out.SetAbsent("communication.time", out.Gap(Capability::kDeviceEvents));
  } else {
    out.Set("communication.time", all.communication);
  }
  if (all.communication > 0) {
    out.Set("communication.overlap",
            static_cast<double>(all.hidden) / static_cast<double>(all.communication));
  } else {
    out.SetAbsent("communication.overlap", "no collective runs in the window");
  }
  if (all.window > 0) {
    out.Set("communication.exposed_share",
            static_cast<double>(all.exposed()) / static_cast<double>(all.window));
  } else {
    out.SetAbsent("communication.exposed_share", "the window has no length");
  }
}

void SetImbalance(std::span<const RankTimes> times, Output& out) {
  constexpr std::string_view kOneRank = "needs the recordings of at least two ranks";
  if (times.size() < 2) {
    out.SetAbsent("rank.imbalance", std::string(kOneRank));
    return;
  }
  Ns min = times.front().compute, max = min, sum = 0;
  for (const RankTimes& rank : times) {
    min = std::min(min, rank.compute);
    max = std::max(max, rank.compute);
    sum += rank.compute;
  }
  if (sum == 0) {
    out.SetAbsent("rank.imbalance", "no rank computes on a GPU in its window");
    return;
  }
  const double mean = static_cast<double>(sum) / static_cast<double>(times.size());
  out.Set("rank.imbalance", static_cast<double>(max - min) / mean);
}

constexpr std::string_view kNeedsRanks = "needs the recordings of at least two ranks";

// How much of the run's collectives could be compared between ranks, and the waiting in them.
void SetMatching(const Matching& matching, std::span<const RankParts> parts, Output& out) {
  const auto absent = [&](const std::string& reason) {
    for (const char* id : {"communication.matched_share", "communication.matched_time_share",
                           "communication.waiting_share"}) {
      out.SetAbsent(id, reason);
    }
  };
  if (parts.size() < 2) return absent(std::string(kNeedsRanks));
  std::int64_t calls = 0, matched_calls = 0;
  Ns time = 0, matched_time = 0;
  for (const GroupMatch& group : matching.groups) {
    calls += group.calls;
    matched_calls += group.matched_calls;
    time += group.time;
    matched_time += group.matched_time;
  }
  if (calls == 0 || time <= 0) return absent("no collective was recorded");
  out.Set("communication.matched_share",
          static_cast<double>(matched_calls) / static_cast<double>(calls));
  out.Set("communication.matched_time_share",
          static_cast<double>(matched_time) / static_cast<double>(time));
  Ns waiting = 0, whole = 0;
  for (const RankParts& rank : parts) {
    waiting += rank.waiting_exposed;
    whole += rank.sum();
  }
  if (matched_calls == 0 || whole <= 0) {
    return out.SetAbsent("communication.waiting_share",
                         "no collective could be matched on all of its ranks");
  }
  out.Set("communication.waiting_share", static_cast<double>(waiting) / static_cast<double>(whole));
}

std::string NobodyBlamed(const Blame& blame) {
  if (blame.ranks.size() < 2) return std::string(kNeedsRanks);
  if (blame.groups == 0) return "no collective was recorded";
  if (blame.judged_groups == 0) {
    return "of no process group all members are in the run with at least 95 % of its collectives "
           "matched";
  }
  return blame.jitter ? "ranks are late in turn: none causes most of the waiting"
                      : "no rank is late for the others";
}

void SetStraggler(const Blame& blame, std::span<const RankContext> ranks, Output& out) {
  if (!blame.straggler) return out.SetAbsent("rank.straggler", NobodyBlamed(blame));
  const RankLateness& worst = blame.ranks[*blame.straggler];
  out.Set("rank.straggler", static_cast<double>(ranks[*blame.straggler].rank));
  std::string note =
      fmt::format("it is last in {} collectives, which costs the others {}",
                  FormatCount(worst.last_calls), FormatDuration(static_cast<double>(worst.cost)));
  if (!blame.cause.empty()) note += "; what takes longer there: " + blame.cause;
  if (blame.judged_groups < blame.groups) {
    note +=
        fmt::format("; {} of {} process groups could be judged", blame.judged_groups, blame.groups);
  }
  out.SetNote("rank.straggler", std::move(note));
}

void SetMissingRanks(std::span<const RankContext> ranks, Output& out) {
  std::int64_t world = -1;
  for (const RankContext& rank : ranks) {
    world = std::max(world, rank.profile->distributed.world_size);
  }
  if (ranks.size() < 2) return out.SetAbsent("profile.ranks_missing", std::string(kNeedsRanks));
  if (world < 0) {
    return out.SetAbsent("profile.ranks_missing", "the recordings do not tell the world's size");
  }
  out.Set("profile.ranks_missing",
          std::max<std::int64_t>(0, world - static_cast<std::int64_t>(ranks.size())));
}

void AppendParts(const RankParts& parts, Table& table) {
  const auto set = [&](const char* column, Ns value) { table.Find(column)->AddInteger(value); };
  set("compute_only", parts.compute_only);
  set("overlapped", parts.overlapped);
  set("transfer_exposed", parts.transfer_exposed);
  if (parts.matched)
    set("waiting_exposed", parts.waiting_exposed);
  else
    table.Find("waiting_exposed")->AddAbsent();
  set("copy", parts.copy);
  set("dataloader", parts.dataloader);
  set("host_time", parts.host);
  set("unattributed", parts.unattributed);
}

void AppendLateness(const RankLateness& lateness, bool judged, bool straggles, Table& table) {
  const auto set = [&](const char* column, bool known, std::int64_t value) {
    if (known)
      table.Find(column)->AddInteger(value);
    else
      table.Find(column)->AddAbsent();
  };
  set("waiting_time", lateness.matched, lateness.waiting);
  set("transfer_time", lateness.matched, lateness.transfer);
  set("late_cost", judged, lateness.cost);
  set("last_calls", judged, lateness.last_calls);
  set("straggles", judged, straggles ? 1 : 0);
}

void FillRanks(std::span<const RankContext> ranks, std::span<const RankTimes> times,
               std::span<const RankParts> parts, const Blame& blame, bool is_unknown, Output& out) {
  if (std::none_of(ranks.begin(), ranks.end(),
                   [](const RankContext& rank) { return rank.profile->has_timeline; })) {
    return out.SetTableAbsent("ranks",
                              "needs the times of events, which this kind of file lacks: it has "
                              "durations or sums only");
  }
  Table& table = out.AddTable("ranks");
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankContext& rank = ranks[i];
    table.Find("id")->AddInteger(rank.rank);
    table.Find("host")->AddAbsent();
    table.Find("iterations")
        ->AddInteger(static_cast<std::int64_t>(rank.iterations.selected().size()));
    table.Find("iteration_time")->AddInteger(rank.iterations.SelectedTime());
    table.Find("compute_time")->AddInteger(times[i].compute);
    if (is_unknown) {
      table.Find("communication_time")->AddAbsent();
      table.Find("exposed_communication")->AddAbsent();
    } else {
      table.Find("communication_time")->AddInteger(times[i].communication);
      table.Find("exposed_communication")->AddInteger(times[i].exposed());
    }
    AppendLateness(blame.ranks[i], blame.judged_groups > 0, blame.straggler == i, table);
    Column& idle = *table.Find("idle");
    if (!rank.has_device() || times[i].window <= 0) {
      idle.AddAbsent();
    } else {
      idle.AddReal(1 - static_cast<double>(times[i].busy) / static_cast<double>(times[i].window));
    }
    AppendParts(parts[i], table);
    Column& cause = *table.Find("late_cause");
    if (blame.straggler == i && !blame.cause.empty())
      cause.AddText(out.strings().Intern(blame.cause));
    else
      cause.AddAbsent();
  }
  table.Find("host")->MarkAbsent("the recording does not name the machine");
  if (!blame.straggler) table.Find("late_cause")->MarkAbsent(NobodyBlamed(blame));
}

void FillGroups(const Matching& matching, Output& out) {
  if (matching.groups.empty()) {
    return out.SetTableAbsent("process_groups", "no collective was recorded");
  }
  Table& table = out.AddTable("process_groups");
  std::vector<Ns> transfer(matching.groups.size(), 0);
  for (const MatchedCall& call : matching.calls) {
    if (call.transfer < 0) continue;
    transfer[call.group] += call.transfer * static_cast<Ns>(call.members.size());
  }
  for (std::size_t i = 0; i < matching.groups.size(); ++i) {
    const GroupMatch& group = matching.groups[i];
    RowWriter row(table);
    row.Text(group.name)
        .Text(group.description)
        .Known(group.size)
        .Integer(static_cast<std::int64_t>(group.present.size()))
        .Integer(group.calls)
        .Integer(group.matched_calls)
        .Integer(group.time)
        .Share(static_cast<double>(group.matched_time), static_cast<double>(group.time))
        .Integer(transfer[i])
        .Bool(group.MayBlame());
  }
}

}  // namespace

void AddCommunication(std::span<const RankContext> ranks, Output& out) {
  std::vector<std::vector<CollectiveCall>> calls;
  for (const RankContext& rank : ranks) calls.push_back(CollectCollectives(rank));
  for (std::vector<CollectiveCall>& of_rank : calls) SizeByGroup(ranks, of_rank);
  const Matching matching = MatchRanks(ranks, calls);
  const Blame blame = FindBlame(ranks, calls, matching);
  std::vector<RankTimes> times;
  std::vector<RankParts> parts;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    times.push_back(MeasureRank(ranks[i], calls[i]));
    parts.push_back(PartsOf(ranks[i], calls[i]));
  }
  const std::vector<CallRow> rows = SumCalls(calls);
  SetCommunication(times, out);
  SetBusBandwidths(rows, ranks, out);
  SetMatching(matching, parts, out);
  SetImbalance(times, out);
  SetStraggler(blame, ranks, out);
  SetMissingRanks(ranks, out);
  const bool is_unknown = IsUnknown(ranks, calls);
  FillRanks(ranks, times, parts, blame, is_unknown, out);
  if (is_unknown) SetNothingFound(ranks, out);
  FillGroups(matching, out);
  if (rows.empty()) {
    out.SetTableAbsent("collectives", "no collective was recorded");
    return;
  }
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    std::vector<std::uint32_t>& row_of = out.RowsOfDevice("collectives", rows[row].rank);
    row_of.resize(ranks[rows[row].rank].profile->device.size(), Output::kNoRow);
    for (const std::uint32_t event : rows[row].sums.events) row_of[event] = row;
  }
  Table& table = out.AddTable("collectives");
  for (const CallRow& row : rows) AppendRow(row, ranks, table, out.strings());
}

}  // namespace profgauge
