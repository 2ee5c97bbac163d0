#include "analysis/communication/communication.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/classify/device_spans.h"
#include "base/format.h"

namespace profgauge {
namespace {

// Of one rank, over its GPUs and in its window.
struct RankTimes {
  Ns compute = 0, communication = 0, hidden = 0;
  Ns window = 0;  // Of all its GPUs together.
  Ns busy = 0;
  Ns waiting = 0;
  bool matched = false;  // Whether any of its collectives could be compared with other ranks.
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
  for (const CollectiveCall& call : calls) {
    if (call.transfer < 0) continue;
    times.matched = true;
    times.waiting += call.time.length() - call.transfer;
  }
  return times;
}

struct CallSums {
  std::int64_t calls = 0, bytes = 0, sized = 0;
  Ns time = 0, exposed = 0, transfer = 0;
  Ns sized_time = 0;  // Of the calls whose bytes are known: transfer time, else duration.
  bool matched = true;
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
      if (!call.in_tables) continue;
      CallRow& row = rows[{rank, call.name, call.group, call.group_size, call.dtype}];
      if (row.first == nullptr) row = {rank, &call, {}};
      CallSums& sums = row.sums;
      const Ns length = call.time.length();
      ++sums.calls;
      sums.time += length;
      sums.exposed += call.exposed;
      sums.matched = sums.matched && call.transfer >= 0;
      sums.transfer += std::max<Ns>(0, call.transfer);
      if (call.bytes < 0) continue;
      sums.bytes += call.bytes;
      ++sums.sized;
      sums.sized_time += call.transfer >= 0 ? call.transfer : length;
    }
  }
  std::vector<CallRow> result;
  for (auto& [key, row] : rows) result.push_back(row);
  std::stable_sort(result.begin(), result.end(), [](const CallRow& a, const CallRow& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.sums.time > b.sums.time;
  });
  return result;
}

// How many ranks took part: as recorded, else the world's size, else those of this run.
std::int64_t GroupSize(const CollectiveCall& call, std::span<const RankContext> ranks) {
  if (call.group_size > 0) return call.group_size;
  const std::int64_t world = ranks.front().profile->distributed.world_size;
  if (world > 0) return world;
  return ranks.size() > 1 ? static_cast<std::int64_t>(ranks.size()) : -1;
}

std::optional<double> AlgorithmBandwidth(const CallSums& sums) {
  if (sums.sized == 0 || sums.sized_time <= 0) return std::nullopt;
  return static_cast<double>(sums.bytes) * 1e9 / static_cast<double>(sums.sized_time);
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
  const std::optional<double> bandwidth = AlgorithmBandwidth(sums);
  real("bandwidth", bandwidth);
  real("bus_bandwidth", bandwidth && size > 0
                            ? std::optional(*bandwidth * BusFactor(row.first->kind, size))
                            : std::nullopt);
}

void SetBusBandwidths(std::span<const CallRow> rows, std::span<const RankContext> ranks,
                      Output& out) {
  for (std::size_t k = 0; k < kCollectiveKinds; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    if (kind == CollectiveKind::kOther) continue;
    double weighted_bytes = 0;
    Ns time = 0;
    for (const CallRow& row : rows) {
      const std::int64_t size = GroupSize(*row.first, ranks);
      if (row.first->kind != kind || size <= 0) continue;
      weighted_bytes += static_cast<double>(row.sums.bytes) * BusFactor(kind, size);
      time += row.sums.sized_time;
    }
    const std::string id = "communication." + std::string(CollectiveKindId(kind)) + ".busbw";
    if (time > 0) {
      out.Set(id, weighted_bytes * 1e9 / static_cast<double>(time));
    } else {
      out.SetAbsent(id,
                    "no such collective with a known size and group was recorded; PyTorch 2.2 and "
                    "later record them");
    }
  }
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

void SetStraggler(std::span<const RankTimes> times, std::span<const RankContext> ranks,
                  Output& out) {
  std::size_t least = times.size();
  Ns most_waiting = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!times[i].matched) continue;
    if (least == times.size() || times[i].waiting < times[least].waiting) least = i;
    most_waiting = std::max(most_waiting, times[i].waiting);
  }
  if (least == times.size()) {
    return out.SetAbsent("rank.straggler",
                         times.size() < 2
                             ? "needs the recordings of at least two ranks"
                             : "no collective is recorded equally often on all of its ranks");
  }
  if (most_waiting == times[least].waiting) {
    return out.SetAbsent("rank.straggler", "no rank waits longer than another");
  }
  out.Set("rank.straggler", static_cast<double>(ranks[least].rank));
  out.SetNote("rank.straggler", "it waits " +
                                    FormatDuration(static_cast<double>(times[least].waiting)) +
                                    " in collectives, the longest waiting rank " +
                                    FormatDuration(static_cast<double>(most_waiting)));
}

void FillRanks(std::span<const RankContext> ranks, std::span<const RankTimes> times, Output& out) {
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
    table.Find("communication_time")->AddInteger(times[i].communication);
    table.Find("exposed_communication")->AddInteger(times[i].exposed());
    Column& waiting = *table.Find("waiting_time");
    if (times[i].matched)
      waiting.AddInteger(times[i].waiting);
    else
      waiting.AddAbsent();
    Column& idle = *table.Find("idle");
    if (!rank.has_device() || times[i].window <= 0) {
      idle.AddAbsent();
    } else {
      idle.AddReal(1 - static_cast<double>(times[i].busy) / static_cast<double>(times[i].window));
    }
  }
  table.Find("host")->MarkAbsent("the recording does not name the machine");
}

}  // namespace

void AddCommunication(std::span<const RankContext> ranks, Output& out) {
  std::vector<std::vector<CollectiveCall>> calls;
  for (const RankContext& rank : ranks) calls.push_back(CollectCollectives(rank));
  MatchRanks(calls);
  std::vector<RankTimes> times;
  for (std::size_t i = 0; i < ranks.size(); ++i) times.push_back(MeasureRank(ranks[i], calls[i]));
  const std::vector<CallRow> rows = SumCalls(calls);
  SetCommunication(times, out);
  SetBusBandwidths(rows, ranks, out);
  SetImbalance(times, out);
  SetStraggler(times, ranks, out);
  FillRanks(ranks, times, out);
  if (rows.empty()) {
    out.SetTableAbsent("collectives", "no collective was recorded");
    return;
  }
  Table& table = out.AddTable("collectives");
  for (const CallRow& row : rows) AppendRow(row, ranks, table, out.strings());
}

}  // namespace profgauge
