#include "analysis/host/host.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/tables/host_columns.h"
#include "analysis/tables/row_writer.h"
#include "model/tables.h"

namespace profgauge::analysis::host {
namespace {

struct Calls {
  std::int64_t count = 0;
  Ns time = 0, min = 0, max = 0;
};

// Over the whole profile, not only the selected iterations.
void AddCalls(std::span<const context::RankContext> ranks, tables::Output& out) {
  std::map<std::string_view, Calls> by_name;
  for (const context::RankContext& rank : ranks) {
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
  tables::RowWriter<tables::columns::kOsCalls> write(out.AddTable("os_calls"));
  for (const auto& [name, calls] : rows) {
    write.Text("name"_col, out.strings().Intern(name))
        .Integer("calls"_col, calls.count)
        .Integer("time"_col, calls.time)
        .Integer("mean"_col, calls.time / calls.count)
        .Integer("min"_col, calls.min)
        .Integer("max"_col, calls.max);
  }
}

// By thread: for how long it ran, as far as that is within the profile; -1 where nothing shows.
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

void AddThreads(std::span<const context::RankContext> ranks, tables::Output& out) {
  std::optional<tables::RowWriter<tables::columns::kThreads>> write;
  for (const context::RankContext& rank : ranks) {
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

std::string WithNsight(const tables::Output& out, std::string_view what) {
  if (out.accelerator() != Accelerator::kNvidia) return {};
  return "; Nsight Systems records " + std::string(what);
}

void AddOsRuntime(std::span<const context::RankContext> ranks, tables::Output& out) {
  AddCalls(ranks, out);
  AddThreads(ranks, out);
}

}  // namespace profgauge::analysis::host
