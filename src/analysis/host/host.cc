#include "analysis/host/host.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/breakdown/host_waits.h"
#include "analysis/catalog/host_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/iterations/observed.h"
#include "base/interval.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "model/host_cores.h"
#include "model/tables.h"

namespace profgauge::analysis::host {
namespace {

// The innermost recorded call of the operating system that contains the whole span.
std::string_view CallAround(const Profile& profile, const CpuSpan& span) {
  const OsTable& os = profile.os;
  std::size_t row = 0;  // The first row that begins after the span's start.
  for (std::size_t end = os.size(); row < end;) {
    const std::size_t middle = row + (end - row) / 2;
    const bool is_before = std::pair(os.thread[middle].value, os.start[middle]) <=
                           std::pair(span.thread.value, span.start);
    if (is_before) row = middle + 1;
    if (!is_before) end = middle;
  }
  constexpr std::size_t kNested = 8;  // Nesting of calls is shallow.
  for (const std::size_t first = row - std::min(row, kNested); row-- > first;) {
    if (os.thread[row].value != span.thread.value) break;
    if (os.start[row] + os.duration[row] >= span.start + span.duration) {
      return profile.Name(os.name[row]);
    }
  }
  return {};
}

// Only running threads have a core. The scheduler's reason has priority over the operating system's
// call, since a thread may also be preempted within a call.
std::string StateOf(const Profile& profile, const CpuSpan& span) {
  if (span.core >= 0) return "running";
  if (span.name.valid()) return std::string(profile.Name(span.name));
  const std::string_view call = CallAround(profile, span);
  return call.empty() ? "not running" : "in " + std::string(call);
}

struct Stretches {
  std::int64_t times = 0;
  Ns time = 0, longest = 0;
};

// Rows are sorted by thread, then state. `table` is created with the first row of any rank.
void AddStates(const iterations::RankContext& rank, const CpuActivity& cpu, catalog::Output& out,
               Table*& table) {
  const Profile& profile = *rank.profile;
  const std::vector<std::uint32_t> threads = ThreadsInOrder(profile);
  std::vector<std::uint32_t> place(threads.size());  // By thread: its position in that order.
  for (std::uint32_t i = 0; i < threads.size(); ++i) place[threads[i]] = i;
  std::map<std::pair<std::uint32_t, std::string>, Stretches> states;
  std::vector<Ns> known(profile.threads.size(), 0);
  for (const CpuSpan& span : cpu.spans) {
    Stretches& state = states[{place[span.thread.value], StateOf(profile, span)}];
    ++state.times;
    state.time += span.duration;
    state.longest = std::max(state.longest, span.duration);
    known[span.thread.value] += span.duration;
  }
  if (states.empty()) return;
  if (table == nullptr) table = &out.AddTable("thread_states");
  catalog::RowWriter<catalog::columns::kThreadStates> write(*table);
  for (const auto& [key, state] : states) {
    const std::uint32_t of = threads[key.first];
    const Thread& thread = profile.threads[of];
    write.Integer("rank"_col, rank.rank)
        .Text("name"_col,
              thread.name.empty() ? "thread " + std::to_string(thread.tid) : thread.name)
        .Integer("thread"_col, thread.tid)
        .Text("state"_col, out.strings().Intern(key.second))
        .Integer("times"_col, state.times)
        .Integer("time"_col, state.time)
        .Integer("max"_col, state.longest)
        .Share("share"_col, state.time, known[of]);
  }
}

struct CoreUse {
  Ns time = 0;
  std::int64_t times = 0;
  std::set<std::uint32_t> threads;
};

// A core that ran no thread of the program counts as idle.
void AddCores(const iterations::RankContext& rank, const CpuActivity& cpu, catalog::Output& out,
              Table*& table) {
  const Profile& profile = *rank.profile;
  std::map<std::int32_t, CoreUse> cores;
  for (const CpuSpan& span : cpu.spans) {
    if (span.core < 0) continue;
    CoreUse& core = cores[span.core];
    core.time += span.duration;
    ++core.times;
    core.threads.insert(span.thread.value);
  }
  if (cores.empty()) return;
  // Adds cores without any thread of the program.
  for (std::int32_t core = 0; core < CoresOfHost(profile); ++core) cores.try_emplace(core);
  if (table == nullptr) table = &out.AddTable("host_cores");
  catalog::RowWriter<catalog::columns::kHostCores> write(*table);
  const Ns length = profile.last - profile.first;
  for (const auto& [number, core] : cores) {
    write.Integer("rank"_col, rank.rank)
        .Integer("core"_col, number)
        .Integer("time"_col, core.time)
        .Integer("idle"_col, std::max<Ns>(length - core.time, 0))
        .Share("share"_col, core.time, length)
        .Integer("threads"_col, static_cast<std::int64_t>(core.threads.size()))
        .Integer("times"_col, core.times);
  }
}

// A thread, or a function at its position in the stacks of a thread.
struct Node {
  StringId name;
  std::int64_t self = 0, total = 0;
};

struct Stacks {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> parents;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> places;  // By parent and name.

  std::uint32_t Below(std::uint32_t parent, StringId name) {
    const std::uint64_t key = std::uint64_t{parent} << 32 | name.value;
    const auto [place, is_new] = places.try_emplace(key, static_cast<std::uint32_t>(nodes.size()));
    if (is_new) {
      nodes.push_back({name});
      parents.push_back(parent);
    }
    return place->second;
  }
};

// Adds the samples of one stack to its functions. The stack has one function per line, outermost
// first: all functions get the samples as `total`, the innermost also as `self`.
void AddStack(std::uint32_t thread, std::string_view stack, std::int64_t count, StringPool& strings,
              Stacks& out) {
  std::uint32_t node = thread;
  out.nodes[node].total += count;
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find('\n'), stack.size());
    node = out.Below(node, strings.Intern(stack.substr(0, end)));
    out.nodes[node].total += count;
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  out.nodes[node].self += count;
}

// Only the number distinguishes threads with equal names.
std::string ThreadText(const iterations::RankContext& rank, bool several_ranks,
                       const Thread& thread) {
  std::string text = "thread " + std::to_string(thread.tid);
  if (!thread.name.empty()) text = thread.name + " (" + text + ")";
  return several_ranks ? "rank " + std::to_string(rank.rank) + ", " + text : text;
}

// The stacks of a rank's threads, sorted by the number of samples.
void AddStacks(const iterations::RankContext& rank, bool several_ranks, StringPool& strings,
               Stacks& out) {
  const Profile& profile = *rank.profile;
  std::map<std::uint32_t, std::map<StringId, std::int64_t>> by_thread;
  for (const CpuSample& sample : profile.cpu->samples) {
    ++by_thread[sample.thread.value][sample.stack];
  }
  using Heaviest = std::vector<std::pair<StringId, std::int64_t>>;
  std::vector<std::tuple<std::int64_t, std::uint32_t, Heaviest>> threads;
  for (const auto& [thread, stacks] : by_thread) {
    Heaviest heaviest(stacks.begin(), stacks.end());
    std::ranges::stable_sort(heaviest, std::greater{}, &Heaviest::value_type::second);
    std::int64_t samples = 0;
    for (const auto& [stack, count] : heaviest) samples += count;
    threads.emplace_back(-samples, thread, std::move(heaviest));
  }
  std::ranges::stable_sort(threads, {}, [](const auto& entry) { return std::get<0>(entry); });
  for (const auto& [samples, thread, stacks] : threads) {
    const std::string text = ThreadText(rank, several_ranks, profile.threads[thread]);
    const std::uint32_t top = out.Below(catalog::kNoNode, strings.Intern(text));
    for (const auto& [stack, count] : stacks) {
      AddStack(top, profile.Name(stack), count, strings, out);
    }
  }
}

void Fill(const Stacks& found, std::int64_t samples, Table& table) {
  const auto order = catalog::TreeOrder(found.parents);
  catalog::TreeCells tree(found.parents, 0);
  catalog::RowWriter<catalog::columns::kCpuSamples> write(table);
  for (const std::uint32_t node : order) {
    const Node& function = found.nodes[node];
    tree.Append(node, write);
    write.Text("name"_col, function.name)
        .Integer("samples"_col, function.total)
        .Integer("samples_self"_col, function.self)
        .Share("share"_col, function.total, samples);
  }
}

}  // namespace

void AddCpuActivity(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  Table *states = nullptr, *cores = nullptr;
  Stacks found;
  std::int64_t samples = 0;
  for (const iterations::RankContext& rank : ranks) {
    if (rank.profile->cpu == nullptr) continue;
    const CpuActivity& cpu = *rank.profile->cpu;
    AddStates(rank, cpu, out, states);
    AddCores(rank, cpu, out, cores);
    AddStacks(rank, ranks.size() > 1, out.strings(), found);
    samples += static_cast<std::int64_t>(cpu.samples.size());
  }
  const std::string no_scheduling =
      "scheduling was not recorded" + WithNsight(out, "it with --cpuctxsw=process-tree");
  if (states == nullptr) out.SetTableAbsent("thread_states", no_scheduling);
  if (cores == nullptr) out.SetTableAbsent("host_cores", no_scheduling);
  if (samples == 0) {
    out.SetTableAbsent("cpu_samples", "call stacks were not sampled" +
                                          WithNsight(out, "them with --sample=process-tree"));
    return;
  }
  Fill(found, samples, out.AddTable("cpu_samples"));
}

namespace {

constexpr std::uint32_t kNoRow = kNoIndex;
constexpr std::array<std::string_view, 6> kKindNames = {"launch", "memcpy", "memset",
                                                        "sync",   "memory", "other"};

// Sums overlaps of spans with a span list while spans arrive, so that no list of them (one per
// call) is needed. Only spans in order can be summed, unlike calls of several threads. Spans that
// touch are merged into one open span, which is added when a span begins after its end:
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
  /// None if the spans were not in order.
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

// Sums the counted calls of each name. One pass is enough for names whose calls are in order; calls
// of other names get a list of spans in a second pass.
std::vector<CallSum> SumCalls(const iterations::RankContext& rank, const std::vector<bool>& counted,
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
  Ns latest = std::numeric_limits<Ns>::min();  // Latest end of the thread's calls.
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

// Total time in calls, where a driver call inside a runtime call counts once.
//
//   runtime call   |----------|            10
//   driver call       |----|               adds 0
//   another call            |------|       only its part after the end of the first
//
// REQUIRES: calls are sorted by thread and start, as the table has them.
Ns TimeInCalls(const iterations::RankContext& rank, const std::vector<bool>& counted) {
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

// Merges equal names of several ranks. Longest first.
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

void FillTable(const std::vector<CallSum>& rows, Ns total, catalog::Output& out) {
  catalog::RowWriter<catalog::columns::kApiCalls> write(out.AddTable("api_calls"));
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

// Returns the iteration time in which any thread of the rank is blocked in a counted synchronizing
// call. Calls in which a profiler waits at its stop are after the host ranges, so they are not
// counted, like in api_calls.
Ns BlockedTime(const iterations::RankContext& rank, const std::vector<bool>& counted,
               std::span<const Span> iterations) {
  const ApiTable& api = rank.profile->api;
  SpanCollector blocked;
  for (std::size_t i = 0; i < api.size(); ++i) {
    const StringId name = api.name[i];
    if (counted[i] &&
        breakdown::BlocksHost(api.kind[i], name.valid() ? rank.profile->Name(name) : "")) {
      blocked.Add(api.start[i], api.duration[i]);
    }
  }
  return OverlapLength(blocked.Take(), iterations);
}

// Blocked time divided by iteration time, both summed over ranks: 100 % means that every rank was
// always blocked.
void SetSyncShare(std::span<const CallFacts> ranks, catalog::Output& out) {
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

// The window of a profile without iterations begins with its first device work: earlier calls only
// count if they launched some.
std::vector<bool> CountedCalls(const iterations::RankContext& rank) {
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
  const std::vector<bool> before = iterations::CallsBeforeWindow(*rank.profile, rank.iterations);
  for (std::size_t i = 0; i < before.size(); ++i) counted[i] = counted[i] && !before[i];
  return counted;
}

CallFacts CallFactsOf(const iterations::RankContext& rank) {
  CallFacts facts;
  const std::vector<bool> counted = CountedCalls(rank);
  facts.in_calls = TimeInCalls(rank, counted);
  SpanCollector collector;
  for (const iterations::Iteration& iteration : rank.iterations.selected()) {
    collector.Add(iteration.time.start, iteration.time.length());
  }
  const std::vector<Span> iterations = collector.Take();
  facts.calls = SumCalls(rank, counted, iterations);
  facts.blocked = BlockedTime(rank, counted, iterations);
  facts.iterations = Length(iterations);
  facts.any_call = rank.profile->api.size() > 0;
  return facts;
}

void AddHostCalls(std::span<const CallFacts> ranks, catalog::Output& out) {
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

namespace {

struct Calls {
  std::int64_t count = 0;
  Ns time = 0, min = 0, max = 0;
};

// Covers the whole profile, not only the selected iterations.
void AddCalls(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::map<std::string_view, Calls> by_name;
  for (const iterations::RankContext& rank : ranks) {
    const OsTable& os = rank.profile->os;
    for (std::size_t row = 0; row < os.size(); ++row) {
      Calls& calls = by_name[rank.profile->Name(os.name[row])];
      calls.min = calls.count == 0 ? os.duration[row] : std::min(calls.min, os.duration[row]);
      calls.max = std::max(calls.max, os.duration[row]);
      calls.time += os.duration[row];
      ++calls.count;
    }
  }
  if (by_name.empty()) {
    out.SetTableAbsent("os_calls", "calls of the operating system were not recorded" +
                                       WithNsight(out, "them with --trace=osrt"));
    return;
  }
  std::vector<std::pair<std::string_view, Calls>> rows(by_name.begin(), by_name.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  catalog::RowWriter<catalog::columns::kOsCalls> write(out.AddTable("os_calls"));
  for (const auto& [name, calls] : rows) {
    write.Text("name"_col, out.strings().Intern(name))
        .Integer("calls"_col, calls.count)
        .Integer("time"_col, calls.time)
        .Integer("mean"_col, calls.time / calls.count)
        .Integer("min"_col, calls.min)
        .Integer("max"_col, calls.max);
  }
}

// By thread: its running time within the profile; -1 if unknown.
std::vector<Ns> TimesOnCore(const Profile& profile) {
  std::vector<Ns> times(profile.threads.size(), -1);
  if (profile.cpu == nullptr) return times;
  for (const CpuSpan& span : profile.cpu->spans) {
    Ns& time = times[span.thread.value];
    time = std::max<Ns>(time, 0) + (span.core >= 0 ? span.duration : 0);
  }
  return times;
}

}  // namespace

std::vector<std::uint32_t> ThreadsInOrder(const Profile& profile) {
  std::vector<std::uint32_t> order(profile.threads.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t i) {
    return std::tie(profile.threads[i].process, profile.threads[i].tid);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

namespace {

void AddThreads(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::optional<catalog::RowWriter<catalog::columns::kThreads>> write;
  for (const iterations::RankContext& rank : ranks) {
    const Ns length = rank.profile->last - rank.profile->first;
    const std::vector<Ns> on_core = TimesOnCore(*rank.profile);
    for (const std::uint32_t i : ThreadsInOrder(*rank.profile)) {
      if (on_core[i] < 0 || length <= 0) continue;
      const Thread& thread = rank.profile->threads[i];
      if (!write) write.emplace(out.AddTable("threads"));
      write->Integer("rank"_col, rank.rank)
          .Text("process"_col, out.strings().Intern(thread.process))
          .Integer("thread"_col, thread.tid)
          .Integer("on_cpu"_col, on_core[i])
          .Share("share"_col, on_core[i], length);
    }
  }
  if (!write) {
    out.SetTableAbsent("threads", "scheduling was not recorded" +
                                      WithNsight(out, "it with --cpuctxsw=process-tree"));
  }
}

}  // namespace

std::string WithNsight(const catalog::Output& out, std::string_view what) {
  if (out.accelerator() != Accelerator::kNvidia) return {};
  return "; Nsight Systems records " + std::string(what);
}

void AddOsRuntime(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  AddCalls(ranks, out);
  AddThreads(ranks, out);
}

}  // namespace profgauge::analysis::host
