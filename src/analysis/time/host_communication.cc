#include "analysis/time/host_communication.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "analysis/classify/communication_rules.h"
#include "analysis/context/loop_threads.h"
#include "analysis/context/marker_choice.h"
#include "analysis/work/op_tree.h"

namespace profgauge {
namespace {

// By text: whether operators of that name compute. Those that communicate or wait hide nothing.
std::vector<bool> ComputingNames(const Profile& profile) {
  std::vector<bool> compute(profile.strings.size());
  for (std::uint32_t id = 0; id < compute.size(); ++id) {
    const std::string_view name = profile.strings[StringId{id}];
    compute[id] =
        !IsFrameworkRange(name) && !IsCommunicationOp(name) && !name.starts_with("c10d::");
  }
  return compute;
}

// Work of the loop's threads: operators that compute, and with `calls` those of the runtime.
std::vector<Span> LoopWork(const Profile& profile, const std::vector<bool>& in_loop, bool calls) {
  const HostTable& host = profile.host;
  const auto is_in_loop = [&](ThreadId thread) { return !thread.valid() || in_loop[thread.value]; };
  const std::vector<bool> compute = ComputingNames(profile);
  // A collective that it may wait for; PyTorch's own operators wait for none that is in them.
  std::vector<bool> around(host.size(), false);
  std::vector<Span> work;
  for (std::size_t row = host.size(); row-- > 0;) {
    const StringId name = host.name[row];
    const HostId parent = host.parent[row];
    const bool communicates = name.valid() && IsHostCollective(profile.strings[name]);
    if (parent.valid() && (around[row] || communicates)) {
      const bool contains = RowSpan(host, parent.value).end >= RowSpan(host, row).end;
      const bool is_own = profile.Name(host.name[parent.value]).starts_with("aten::");
      around[parent.value] = around[parent.value] || (contains && !is_own);
    }
    if (host.kind[row] != HostKind::kOp || around[row] || !is_in_loop(host.thread[row])) continue;
    if (name.valid() && compute[name.value]) work.push_back(RowSpan(host, row));
  }
  const ApiTable& api = profile.api;
  for (std::size_t row = 0; calls && row < api.size(); ++row) {
    if (!is_in_loop(api.thread[row])) continue;
    work.push_back({api.start[row], api.start[row] + std::max<Ns>(api.duration[row], 0)});
  }
  return Merge(std::move(work));
}

// The end of `span` after all of `work`, a span list; nothing where work goes on.
Span RestBehind(Span span, const std::vector<Span>& work) {
  const auto after = std::partition_point(work.begin(), work.end(),
                                          [&](const Span& each) { return each.start < span.end; });
  if (after != work.begin()) span.start = std::max(span.start, std::prev(after)->end);
  return {std::min(span.start, span.end), span.end};
}

}  // namespace

bool IsHostCollective(std::string_view name) { return name.starts_with("gloo:"); }

std::vector<Span> OpenHostCommunication(const Profile& profile) {
  const HostTable& host = profile.host;
  const std::vector<bool> in_loop = FindLoopThreads(profile);
  std::vector<Span> own, others;
  for (std::size_t row = 0; row < host.size(); ++row) {
    const HostKind kind = host.kind[row];
    if (kind == HostKind::kIterationMarker || kind == HostKind::kOverhead) continue;
    if (!IsHostCollective(profile.Name(host.name[row]))) continue;
    const ThreadId thread = host.thread[row];
    (thread.valid() && !in_loop[thread.value] ? others : own).push_back(RowSpan(host, row));
  }
  if (own.empty() && others.empty()) return {};
  own = Merge(std::move(own));
  if (profile.device.size() == 0) own = Subtract(own, LoopWork(profile, in_loop, false));
  if (others.empty()) return own;
  const std::vector<Span> work = LoopWork(profile, in_loop, true);
  for (const Span other : others) own.push_back(RestBehind(other, work));
  return Merge(std::move(own));
}

}  // namespace profgauge
