#include "analysis/host/host_calls.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "analysis/tables/texts.h"
#include "base/interval.h"

namespace profgauge {
namespace {

constexpr std::array<std::string_view, 6> kKindNames = {"launch", "memcpy", "memset",
                                                        "sync",   "memory", "other"};

struct CallRow {
  StringId name;  // Of the output's pool.
  ApiKind kind = ApiKind::kOther;
  std::int64_t calls = 0;
  Ns time = 0, min = std::numeric_limits<Ns>::max(), max = 0;
};

std::vector<CallRow> CollectRows(std::span<const RankContext> ranks, StringPool& pool) {
  std::vector<CallRow> rows;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> known;
  for (const RankContext& rank : ranks) {
    const ApiTable& api = rank.profile->api;
    Texts texts(*rank.profile, pool);
    for (std::size_t i = 0; i < api.size(); ++i) {
      if (!rank.iterations.CountsHostTime(api.start[i])) continue;
      const StringId name = texts(api.name[i]);
      const auto [at, is_new] =
          known.try_emplace(name.value, static_cast<std::uint32_t>(rows.size()));
      if (is_new) rows.push_back({name, api.kind[i]});
      CallRow& row = rows[at->second];
      ++row.calls;
      row.time += api.duration[i];
      row.min = std::min(row.min, api.duration[i]);
      row.max = std::max(row.max, api.duration[i]);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const CallRow& a, const CallRow& b) {
    return a.time != b.time ? a.time > b.time : pool[a.name] < pool[b.name];
  });
  return rows;
}

// Time in calls, a driver call inside a runtime call once.
Ns TimeInCalls(std::span<const RankContext> ranks) {
  Ns total = 0;
  for (const RankContext& rank : ranks) {
    const ApiTable& api = rank.profile->api;
    Ns covered = std::numeric_limits<Ns>::min();
    for (std::size_t i = 0; i < api.size(); ++i) {
      if (i > 0 && api.thread[i] != api.thread[i - 1]) covered = std::numeric_limits<Ns>::min();
      if (!rank.iterations.CountsHostTime(api.start[i])) continue;
      const Ns end = api.start[i] + api.duration[i];
      total += std::max<Ns>(0, end - std::max(covered, api.start[i]));
      covered = std::max(covered, end);
    }
  }
  return total;
}

void FillTable(const std::vector<CallRow>& rows, Ns total, Output& out) {
  Table& table = out.AddTable("api_calls");
  for (const CallRow& row : rows) {
    table.Find("name")->AddText(row.name);
    table.Find("kind")->AddText(
        out.strings().Intern(kKindNames[static_cast<std::size_t>(row.kind)]));
    table.Find("calls")->AddInteger(row.calls);
    table.Find("time")->AddInteger(row.time);
    table.Find("mean")->AddInteger(row.time / row.calls);
    table.Find("min")->AddInteger(row.min);
    table.Find("max")->AddInteger(row.max);
    Column& share = *table.Find("share");
    if (total > 0)
      share.AddReal(static_cast<double>(row.time) / static_cast<double>(total));
    else
      share.AddAbsent();
  }
}

// Time in which any thread of the rank is blocked in a synchronizing call, in its iterations.
Ns BlockedTime(const RankContext& rank, std::span<const Span> iterations) {
  const ApiTable& api = rank.profile->api;
  SpanCollector blocked;
  for (std::size_t i = 0; i < api.size(); ++i) {
    if (api.kind[i] == ApiKind::kSync) blocked.Add(api.start[i], api.duration[i]);
  }
  return OverlapLength(blocked.Take(), iterations);
}

void SetSyncShare(std::span<const RankContext> ranks, Output& out) {
  Ns blocked = 0, total = 0;
  bool any_call = false;
  for (const RankContext& rank : ranks) {
    SpanCollector collector;
    for (const Iteration& iteration : rank.iterations.selected()) {
      collector.Add(iteration.time.start, iteration.time.length());
    }
    const std::vector<Span> iterations = collector.Take();
    blocked += BlockedTime(rank, iterations);
    total += Length(iterations);
    any_call = any_call || rank.profile->api.size() > 0;
  }
  if (!any_call) {
    out.SetAbsent("sync.time_share", out.Gap(Capability::kLaunchLinks));
  } else if (total == 0) {
    out.SetAbsent("sync.time_share", "the iterations have no length");
  } else {
    out.Set("sync.time_share", static_cast<double>(blocked) / static_cast<double>(total));
  }
}

}  // namespace

void AddHostCalls(std::span<const RankContext> ranks, Output& out) {
  SetSyncShare(ranks, out);
  const std::vector<CallRow> rows = CollectRows(ranks, out.strings());
  if (rows.empty()) {
    out.SetTableAbsent("api_calls", out.Gap(Capability::kLaunchLinks));
  } else {
    FillTable(rows, TimeInCalls(ranks), out);
  }
}

}  // namespace profgauge
