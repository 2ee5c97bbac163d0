#include "analysis/host/host.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/context/observed.h"
#include "analysis/tables/host_columns.h"
#include "analysis/tables/row_writer.h"
#include "analysis/time/host_waits.h"
#include "base/interval.h"
#include "base/metric_id.h"
#include "base/numbers.h"

namespace profgauge::analysis::host {
namespace {

constexpr std::uint32_t kNoRow = kNoIndex;
constexpr std::array<std::string_view, 6> kKindNames = {"launch", "memcpy", "memset",
                                                        "sync",   "memory", "other"};

// Overlaps of spans with a span list, as they come. A list of them, which is one per call,
// is needed only where one begins before another that came earlier, as calls of several threads do.
//
// Spans that touch grow into one open span, which is added up when the next one begins after its
// end:
//
//   spans     |-1-|            |--3--|
//               |--2---|
//   open      |--------|  closed at the start of 3
//   list    |-----|      |-------|
class OverlapInOrder {
 public:
  explicit OverlapInOrder(std::span<const Span> list) : list_(list) {}

  void Add(Ns start, Ns duration) {
    if (duration <= 0) return;
    is_in_order_ = is_in_order_ && start >= open_.start;
    if (start > open_.end) Close();
    open_ = start > open_.end ? Span{start, start + duration}
                              : Span{open_.start, std::max(open_.end, start + duration)};
  }
  /// Nothing where the spans did not come in order.
  std::optional<Ns> Take() {
    if (!is_in_order_) return std::nullopt;
    Close();
    return sum_;
  }

 private:
  void Close() {
    while (next_ < list_.size() && list_[next_].end <= open_.start) ++next_;
    for (std::size_t i = next_; i < list_.size() && list_[i].start < open_.end; ++i) {
      sum_ += std::min(list_[i].end, open_.end) - std::max(list_[i].start, open_.start);
    }
  }

  std::span<const Span> list_;
  std::size_t next_ = 0;
  Span open_{std::numeric_limits<Ns>::min(), std::numeric_limits<Ns>::min()};
  Ns sum_ = 0;
  bool is_in_order_ = true;
};

// Each name once, by its first counted call. The first pass is enough if calls of each name come in
// order; the names of which they do not get a list of spans in a second pass.
std::vector<CallSum> SumCalls(const context::RankContext& rank, const std::vector<bool>& counted,
                              std::span<const Span> iterations) {
  const ApiTable& api = rank.profile->api;
  std::vector<CallSum> sums;
  std::vector<OverlapInOrder> covered;
  boost::unordered_flat_map<std::string_view, std::uint32_t> known;
  std::vector<std::uint32_t> row_of(rank.profile->strings.size(), kNoRow);
  const auto row_of_call = [&](std::size_t i) {
    const StringId id = api.name[i];
    if (id.valid() && row_of[id.value] != kNoRow) return row_of[id.value];
    const std::string_view name = id.valid() ? rank.profile->Name(id) : std::string_view{};
    const auto [at, is_new] = known.try_emplace(name, static_cast<std::uint32_t>(sums.size()));
    if (is_new) {
      sums.push_back(
          {std::string(name), api.kind[i], 0, 0, 0, std::numeric_limits<Ns>::max(), 0, 0});
      covered.emplace_back(iterations);
    }
    if (id.valid()) row_of[id.value] = at->second;
    return at->second;
  };
  Ns latest = std::numeric_limits<Ns>::min();  // End of the calls of a thread so far.
  for (std::size_t i = 0; i < api.size(); ++i) {
    if (i > 0 && api.thread[i] != api.thread[i - 1]) latest = std::numeric_limits<Ns>::min();
    if (!counted[i]) continue;
    const std::uint32_t row = row_of_call(i);
    CallSum& sum = sums[row];
    ++sum.calls;
    const Ns end = api.start[i] + api.duration[i];
    if (end <= latest) ++sum.nested;
    latest = std::max(latest, end);
    sum.time += api.duration[i];
    sum.min = std::min(sum.min, api.duration[i]);
    sum.max = std::max(sum.max, api.duration[i]);
    covered[row].Add(api.start[i], api.duration[i]);
  }
  std::vector<bool> is_listed(sums.size(), false);
  for (std::size_t row = 0; row < sums.size(); ++row) {
    const auto time = covered[row].Take();
    sums[row].covered = time.value_or(0);
    is_listed[row] = !time;
  }
  if (std::find(is_listed.begin(), is_listed.end(), true) == is_listed.end()) return sums;
  std::vector<SpanCollector> listed(sums.size());
  for (std::size_t i = 0; i < api.size(); ++i) {
    if (!counted[i]) continue;
    const std::uint32_t row = row_of_call(i);
    if (is_listed[row]) listed[row].Add(api.start[i], api.duration[i]);
  }
  for (std::size_t row = 0; row < sums.size(); ++row) {
    if (is_listed[row]) sums[row].covered = OverlapLength(listed[row].Take(), iterations);
  }
  return sums;
}

// Time in calls, a driver call inside a runtime call once.
//
//   runtime call   |----------|            10
//   driver call       |----|               nothing more
//   another call            |------|       only its part after the end of the first
//
// REQUIRES: calls are sorted by thread and start, as the table has them.
Ns TimeInCalls(const context::RankContext& rank, const std::vector<bool>& counted) {
  Ns total = 0;
  const ApiTable& api = rank.profile->api;
  Ns covered = std::numeric_limits<Ns>::min();
  for (std::size_t i = 0; i < api.size(); ++i) {
    if (i > 0 && api.thread[i] != api.thread[i - 1]) covered = std::numeric_limits<Ns>::min();
    if (!counted[i]) continue;
    const Ns end = api.start[i] + api.duration[i];
    total += std::max<Ns>(0, end - std::max(covered, api.start[i]));
    covered = std::max(covered, end);
  }
  return total;
}

// Names that several ranks have are one row. Longest first.
std::vector<CallSum> PoolCalls(std::span<const CallFacts> ranks) {
  std::vector<CallSum> rows;
  boost::unordered_flat_map<std::string_view, std::size_t> known;
  for (const CallFacts& rank : ranks) {
    for (const CallSum& sum : rank.calls) {
      const auto [at, is_new] = known.try_emplace(sum.name, rows.size());
      if (is_new) {
        rows.push_back(sum);
        continue;
      }
      CallSum& row = rows[at->second];
      row.calls += sum.calls;
      row.nested += sum.nested;
      row.time += sum.time;
      row.min = std::min(row.min, sum.min);
      row.max = std::max(row.max, sum.max);
      row.covered += sum.covered;
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const CallSum& a, const CallSum& b) {
    return a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  return rows;
}

void FillTable(const std::vector<CallSum>& rows, Ns total, tables::Output& out) {
  tables::RowWriter<tables::columns::kApiCalls> write(out.AddTable("api_calls"));
  for (const CallSum& row : rows) {
    write.Text("name"_col, row.name)
        .Text("kind"_col, kKindNames[static_cast<std::size_t>(row.kind)])
        .Integer("calls"_col, row.calls)
        .Integer("nested"_col, row.nested)
        .Integer("time"_col, row.time)
        .Integer("mean"_col, row.time / row.calls)
        .Integer("min"_col, row.min)
        .Integer("max"_col, row.max)
        .Share("share"_col, row.time, total)
        .Integer("covered_time"_col, row.covered);
  }
}

// Time in which any thread of the rank is blocked in a synchronizing call that the iterations make:
// the calls in which a profiler waits at its stop come after their host ranges, like in api_calls.
Ns BlockedTime(const context::RankContext& rank, const std::vector<bool>& counted,
               std::span<const Span> iterations) {
  const ApiTable& api = rank.profile->api;
  SpanCollector blocked;
  for (std::size_t i = 0; i < api.size(); ++i) {
    const StringId name = api.name[i];
    if (counted[i] && time::BlocksHost(api.kind[i], name.valid() ? rank.profile->Name(name) : "")) {
      blocked.Add(api.start[i], api.duration[i]);
    }
  }
  return OverlapLength(blocked.Take(), iterations);
}

// Blocked time by iteration time, both summed over ranks: a share of 100 % means that every rank
// was blocked all the time.
void SetSyncShare(std::span<const CallFacts> ranks, tables::Output& out) {
  Ns blocked = 0, total = 0;
  bool any_call = false;
  for (const CallFacts& rank : ranks) {
    blocked += rank.blocked;
    total += rank.iterations;
    any_call = any_call || rank.any_call;
  }
  if (!any_call) {
    out.SetAbsent(metric::kSyncTimeShare, out.Gap(Capability::kLaunchLinks));
  } else if (total == 0) {
    out.SetAbsent(metric::kSyncTimeShare, "the iterations have no length");
  } else {
    out.Set(metric::kSyncTimeShare, static_cast<double>(blocked) / static_cast<double>(total));
  }
}

}  // namespace

// The window of a whole profile begins with its first device work: of the calls before it only
// those count that launched some.
std::vector<bool> CountedCalls(const context::RankContext& rank) {
  const ApiTable& api = rank.profile->api;
  std::vector<bool> counted(api.size());
  const bool begins_with_work = rank.iterations.is_whole && rank.EndsWithWork();
  std::vector<bool> launches(begins_with_work ? api.size() : 0);
  for (std::size_t row = 0; begins_with_work && row < rank.profile->device.size(); ++row) {
    const ApiId call = rank.profile->device.launch[row];
    if (call.valid()) launches[call.value] = true;
  }
  for (std::size_t i = 0; i < api.size(); ++i) {
    const bool is_before =
        begins_with_work && !launches[i] && api.start[i] + api.duration[i] <= rank.window().start;
    counted[i] = rank.iterations.CountsHostTime(api.start[i]) && !is_before &&
                 (!rank.EndsWithWork() || api.start[i] < rank.window().end);
  }
  const std::vector<bool> before = context::CallsBeforeWindow(*rank.profile, rank.iterations);
  for (std::size_t i = 0; i < before.size(); ++i) counted[i] = counted[i] && !before[i];
  return counted;
}

CallFacts CallFactsOf(const context::RankContext& rank) {
  CallFacts facts;
  const std::vector<bool> counted = CountedCalls(rank);
  facts.in_calls = TimeInCalls(rank, counted);
  SpanCollector collector;
  for (const context::Iteration& iteration : rank.iterations.selected()) {
    collector.Add(iteration.time.start, iteration.time.length());
  }
  const std::vector<Span> iterations = collector.Take();
  facts.calls = SumCalls(rank, counted, iterations);
  facts.blocked = BlockedTime(rank, counted, iterations);
  facts.iterations = Length(iterations);
  facts.any_call = rank.profile->api.size() > 0;
  return facts;
}

void AddHostCalls(std::span<const CallFacts> ranks, tables::Output& out) {
  SetSyncShare(ranks, out);
  const std::vector<CallSum> rows = PoolCalls(ranks);
  if (rows.empty()) {
    out.SetTableAbsent("api_calls", out.Gap(Capability::kLaunchLinks));
    return;
  }
  Ns total = 0;
  for (const CallFacts& rank : ranks) total += rank.in_calls;
  FillTable(rows, total, out);
}

}  // namespace profgauge::analysis::host
