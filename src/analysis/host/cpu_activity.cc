#include "analysis/host/host.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/tables/host_columns.h"
#include "analysis/tables/row_writer.h"
#include "model/host_cores.h"
#include "model/tables.h"

namespace profgauge::analysis::host {
namespace {

// The call of the operating system in which the thread is for all of the span; the innermost that
// was recorded.
std::string_view CallAround(const Profile& profile, const CpuSpan& span) {
  const OsTable& os = profile.os;
  std::size_t row = 0;  // The first one after those that begin before it.
  for (std::size_t end = os.size(); row < end;) {
    const std::size_t middle = row + (end - row) / 2;
    const bool is_before = std::pair(os.thread[middle].value, os.start[middle]) <=
                           std::pair(span.thread.value, span.start);
    if (is_before) row = middle + 1;
    if (!is_before) end = middle;
  }
  constexpr std::size_t kNested = 8;  // Calls within calls are few.
  for (const std::size_t first = row - std::min(row, kNested); row-- > first;) {
    if (os.thread[row].value != span.thread.value) break;
    if (os.start[row] + os.duration[row] >= span.start + span.duration) {
      return profile.Name(os.name[row]);
    }
  }
  return {};
}

// A core is known only of running threads. A reason that the scheduler names goes before the call
// of the operating system, since a thread may also be preempted within a call.
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

// Rows by thread, then state. `table` is made with the first row of any rank.
void AddStates(const context::RankContext& rank, const CpuActivity& cpu, tables::Output& out,
               Table*& table) {
  const Profile& profile = *rank.profile;
  const std::vector<std::uint32_t> threads = ThreadsInOrder(profile);
  std::vector<std::uint32_t> place(threads.size());  // By thread, in that order.
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
  tables::RowWriter<tables::columns::kThreadStates> write(*table);
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

// A core that ran no thread of the program is idle as far as the program is concerned.
void AddCores(const context::RankContext& rank, const CpuActivity& cpu, tables::Output& out,
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
  // Those that nothing of the program ran on.
  for (std::int32_t core = 0; core < CoresOfHost(profile); ++core) cores.try_emplace(core);
  if (table == nullptr) table = &out.AddTable("host_cores");
  tables::RowWriter<tables::columns::kHostCores> write(*table);
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

// A thread, or a function at its place in the stacks of one.
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

// Functions from the outermost to the innermost, one a line. All of them get the samples as
// `total`, the innermost as `self`.
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

// Threads of the same name are distinguished only by their numbers.
std::string ThreadText(const context::RankContext& rank, bool several_ranks, const Thread& thread) {
  std::string text = "thread " + std::to_string(thread.tid);
  if (!thread.name.empty()) text = thread.name + " (" + text + ")";
  return several_ranks ? "rank " + std::to_string(rank.rank) + ", " + text : text;
}

// The stacks of a rank's threads, those of most samples first.
void AddStacks(const context::RankContext& rank, bool several_ranks, StringPool& strings,
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
    const std::uint32_t top = out.Below(tables::kNoNode, strings.Intern(text));
    for (const auto& [stack, count] : stacks) {
      AddStack(top, profile.Name(stack), count, strings, out);
    }
  }
}

void Fill(const Stacks& found, std::int64_t samples, Table& table) {
  const auto order = tables::TreeOrder(found.parents);
  tables::TreeCells tree(found.parents, 0);
  tables::RowWriter<tables::columns::kCpuSamples> write(table);
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

void AddCpuActivity(std::span<const context::RankContext> ranks, tables::Output& out) {
  Table *states = nullptr, *cores = nullptr;
  Stacks found;
  std::int64_t samples = 0;
  for (const context::RankContext& rank : ranks) {
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

}  // namespace profgauge::analysis::host
