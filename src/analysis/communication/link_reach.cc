#include "analysis/communication/link_reach.h"

#include <algorithm>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/communication/collective_calls.h"
#include "knowledge/collectives.h"

namespace profgauge::analysis::communication {
namespace {

// Whether calls of this kind use the links of all members simultaneously, like an all-reduce. In a
// gather the root is the bottleneck, and a transfer between two ranks uses one path.
bool UsesAllLinks(classify::CollectiveKind kind) {
  using enum classify::CollectiveKind;
  switch (kind) {
    case kAllReduce:
    case kAllGather:
    case kReduceScatter:
    case kAllToAll:
    case kBroadcast:
    case kReduce:
      return true;
    default:
      return false;
  }
}

// Whether ranks with these numbers are on one machine with `devices` devices.
bool AreNeighbors(const std::vector<std::int64_t>& ranks, std::int64_t devices) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](std::int64_t rank) { return rank / devices == ranks.front() / devices; });
}

}  // namespace

MachineFacts MachineOf(const iterations::RankContext& rank) {
  MachineFacts machine;
  machine.devices = static_cast<std::int64_t>(rank.devices.size());
  if (rank.gpus.empty()) return machine;
  const Gpu* gpu = classify::FindGpu(rank.devices, rank.gpus.front().gpu);
  if (gpu != nullptr) machine.links = classify::LinksOf(*gpu).value_or(classify::Links{});
  return machine;
}

std::optional<double> LinkReach(const CollectiveCall& call, std::int64_t size,
                                const MachineFacts& machine,
                                const std::vector<ProcessGroup>& groups, std::int64_t world_size) {
  if (machine.links.bus <= 0 || size < 2 || !UsesAllLinks(call.kind)) return std::nullopt;
  const std::int64_t devices =
      machine.devices > 1 ? machine.devices : knowledge::kCollectivesMachineDevices.value();
  if (size > devices) return std::nullopt;
  const auto group = std::find_if(groups.begin(), groups.end(), [&](const ProcessGroup& some) {
    return some.name == call.group && !some.ranks.empty();
  });
  const bool is_near =
      group == groups.end() ? world_size <= devices : AreNeighbors(group->ranks, devices);
  return is_near ? std::optional(machine.links.BusOf(size)) : std::nullopt;
}

}  // namespace profgauge::analysis::communication
