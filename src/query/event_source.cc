#include "query/event_source.h"

#include <algorithm>
#include <limits>

#include "analysis/classify/device_spans.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/device/launches.h"
#include "analysis/simulation/module_of.h"

namespace profgauge::query {
namespace {

constexpr std::uint32_t kNoCall = kNoIndex;

RunCommunication Communicate(std::span<const analysis::iterations::RankContext> ranks) {
  RunCommunication found;
  found.ranks = std::move(analysis::communication::TimeFacts(ranks).communication);
  found.matching = analysis::communication::MatchFacts(found.ranks);
  found.clocks = analysis::communication::AlignClocks(found.ranks, found.matching);
  for (const analysis::communication::RankFacts& rank : found.ranks)
    found.call_of.emplace_back(rank.calls.size(), -1);
  for (std::size_t i = 0; i < found.matching.calls.size(); ++i) {
    for (const analysis::communication::MatchedCall::Member& member :
         found.matching.calls[i].members) {
      found.call_of[member.rank][member.call] = static_cast<std::int64_t>(i);
    }
  }
  return found;
}

}  // namespace

const RunCommunication& RunEvents::communication() const {
  return communication_.Get([this] { return Communicate(*ranks_); });
}

const analysis::simulation::Replayer& RunEvents::replayer() const {
  return *replayer_.Get(
      [this] { return std::make_unique<const analysis::simulation::Replayer>(ranks_); });
}

RankEvents::RankEvents(std::shared_ptr<const RunEvents> run, std::size_t position,
                       std::int64_t first_id)
    : run_(std::move(run)),
      position_(position),
      rank_(run_->ranks()[position]),
      first_id_(first_id) {}

Cell RankEvents::ThreadNumber(ThreadId thread) const {
  if (!thread.valid() || profile().threads[thread.value].tid < 0) return {};
  return profile().threads[thread.value].tid;
}

Cell RankEvents::ThreadName(ThreadId thread) const {
  if (!thread.valid()) return {};
  const Thread& known = profile().threads[thread.value];
  if (!known.name.empty()) return std::string_view(known.name);
  return known.process.empty() ? Cell() : Cell(std::string_view(known.process));
}

Cell RankEvents::ModuleOf(HostId op) const {
  const auto& modules =
      modules_.Get([this] { return analysis::simulation::ModulesOfHost(profile()); });
  return op.valid() && !modules.empty() ? Text(modules[op.value]) : Cell();
}

HostId RankEvents::ForwardOf(HostId op) const {
  const HostTable& host = profile().host;
  for (; op.valid(); op = host.parent[op.value]) {
    if (host.forward[op.value].valid()) return host.forward[op.value];
  }
  return {};
}

std::int32_t RankEvents::QueueOf(std::uint32_t device_row) const {
  return queues_.Get([this] {
    std::vector<std::int32_t> queues(profile().device.size(), -1);
    for (const analysis::device::LaunchRow& launch : analysis::device::LaunchRowsOf(rank_))
      queues[launch.row] = launch.queue;
    return queues;
  })[device_row];
}

Ns RankEvents::ExposedOf(std::uint32_t device_row) const {
  using analysis::classify::Exposable;
  return rank_.ExposedOf(Exposable::kCollectives)[device_row] +
         rank_.ExposedOf(Exposable::kCopiesAndSets)[device_row];
}

double RankEvents::FlopsOf(std::uint32_t device_row) const {
  return work_.Get([this] { return analysis::iterations::WorkDivision(rank_); })
      .Of(device_row)
      .flops;
}

std::optional<std::uint32_t> RankEvents::CollectiveOf(std::uint32_t device_row) const {
  const std::uint32_t call = collectives_.Get([this] {
    std::vector<std::uint32_t> calls(profile().device.size(), kNoCall);
    const std::vector<analysis::communication::CollectiveCall>& all =
        run_->communication().ranks[position_].calls;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].event != analysis::catalog::Output::kNoRow) calls[all[i].event] = i;
    }
    return calls;
  })[device_row];
  return call == kNoCall ? std::nullopt : std::optional(call);
}

const std::vector<analysis::simulation::PathMove>& RankEvents::path() const {
  return path_.Get([this]() -> std::vector<analysis::simulation::PathMove> {
    const analysis::simulation::Replayer& replayer = run_->replayer();
    if (!replayer.can_replay()) return {};
    return analysis::simulation::LongestPathMoves(replayer, position_,
                                                  std::numeric_limits<std::size_t>::max())
        .kept;
  });
}

Ns RankEvents::OnPath(std::uint32_t device_row) const {
  return on_path_.Get([this] {
    std::vector<Ns> times(profile().device.size(), 0);
    for (const analysis::simulation::PathMove& move : path()) {
      if (move.in.table != analysis::simulation::PathTable::kDevice ||
          move.in.row == analysis::simulation::PathGraph::kNone)
        continue;
      times[move.in.row] += move.time.length();
    }
    return times;
  })[device_row];
}

// Each device event counts for the range that launched it and for all enclosing ranges:
//
//     forward                    kernels 3, time 9
//       conv    launches k1, k2          2       7
//       relu    launches k3              1       2
//
// O(device rows * depth).
const std::vector<RankEvents::Launched>& RankEvents::launched() const {
  return launched_.Get([this] {
    const HostTable& host = profile().host;
    const DeviceTable& device = profile().device;
    std::vector<Launched> launched(host.size());
    for (std::size_t row = 0; row < device.size(); ++row) {
      const ApiId call = device.launch[row];
      HostId range = call.valid() ? profile().api.op[call.value] : device.op[row];
      for (; range.valid(); range = host.parent[range.value]) {
        Launched& sums = launched[range.value];
        sums.kernels += device.kind[row] == DeviceKind::kKernel ? 1 : 0;
        sums.time += device.duration[row];
      }
    }
    return launched;
  });
}

const std::vector<std::int32_t>& RankEvents::depths() const {
  return depths_.Get([this] {
    const HostTable& host = profile().host;
    std::vector<std::int32_t> depths(host.size(), 0);
    for (std::size_t row = 0; row < host.size(); ++row) {  // Parents come first.
      const HostId parent = host.parent[row];
      if (parent.valid()) depths[row] = depths[parent.value] + 1;
    }
    return depths;
  });
}

// A range's time minus the parts of its children inside it; never below 0, since overlapping
// children are subtracted twice.
const std::vector<Ns>& RankEvents::selfs() const {
  return selfs_.Get([this] {
    const HostTable& host = profile().host;
    std::vector<Ns> selfs(host.duration.begin(), host.duration.end());
    for (std::size_t row = 0; row < host.size(); ++row) {
      const HostId parent = host.parent[row];
      if (!parent.valid()) continue;
      // If a range crosses its parent's end, only the part inside counts.
      const Ns end = std::min(host.start[row] + host.duration[row],
                              host.start[parent.value] + host.duration[parent.value]);
      selfs[parent.value] -= std::max<Ns>(0, end - host.start[row]);
    }
    for (Ns& self : selfs) self = std::max<Ns>(0, self);
    return selfs;
  });
}

}  // namespace profgauge::query
