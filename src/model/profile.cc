#include "model/profile.h"

#include <algorithm>

namespace profgauge {
namespace {

template <class Ids>
bool AnyValid(const Ids& ids) {
  return std::ranges::any_of(ids, [](auto id) { return id.valid(); });
}

std::string_view WhatItIs(Capability capability) {
  switch (capability) {
    case Capability::kDeviceEvents:
      return "device events";
    case Capability::kHostOps:
      return "host ops";
    case Capability::kLaunchLinks:
      return "the calls that launched the device work";
    case Capability::kShapes:
      return "input shapes";
    case Capability::kCallStacks:
      return "call stacks";
    case Capability::kMemoryEvents:
      return "memory events";
    case Capability::kIterationMarkers:
      return "iteration markers";
    case Capability::kPython:
      return "Python frames";
    case Capability::kOccupancy:
      return "the occupancy of kernels";
    case Capability::kDeviceProperties:
      return "the properties of the devices";
    case Capability::kSyncEvents:
      return "synchronization events";
    case Capability::kCollectiveInfo:
      return "the metadata of collectives";
  }
  return "more than was recorded";
}

}  // namespace

bool Profile::Has(Capability capability) const {
  switch (capability) {
    case Capability::kDeviceEvents:
      return device.size() > 0;
    case Capability::kHostOps:
      return std::find(host.kind.begin(), host.kind.end(), HostKind::kOp) != host.kind.end();
    case Capability::kLaunchLinks:
      return AnyValid(device.launch);
    case Capability::kShapes:
      return AnyValid(host.input_shapes.values());
    case Capability::kCallStacks:
      return AnyValid(host.call_stack.values());
    case Capability::kMemoryEvents:
      return memory.size() > 0;
    case Capability::kIterationMarkers:
      return std::find(host.kind.begin(), host.kind.end(), HostKind::kIterationMarker) !=
             host.kind.end();
    case Capability::kPython:
      return python.size() > 0;
    case Capability::kOccupancy:
      return std::any_of(launch_configs.begin(), launch_configs.end(),
                         [](const LaunchConfig& config) { return config.occupancy >= 0; });
    case Capability::kDeviceProperties:
      return !gpus.empty();
    case Capability::kSyncEvents:
      return sync.size() > 0;
    case Capability::kCollectiveInfo:
      return !collectives.empty();
  }
  return false;
}

std::string CapabilityGap(Capability capability, std::span<const RecordingHint> hints) {
  const std::string needs = "needs " + std::string(WhatItIs(capability));
  for (const RecordingHint& hint : hints) {
    if (hint.capability == capability) return needs + "; " + std::string(hint.how);
  }
  return needs + ", which this profile does not have";
}

}  // namespace profgauge
