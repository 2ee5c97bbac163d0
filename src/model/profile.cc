#include "model/profile.h"

#include <algorithm>

namespace profgauge {
namespace {

template <class Id>
bool AnyValid(const std::vector<Id>& ids) {
  return std::any_of(ids.begin(), ids.end(), [](Id id) { return id.valid(); });
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
      return AnyValid(host.input_shapes);
    case Capability::kCallStacks:
      return AnyValid(host.call_stack);
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

std::string CapabilityGap(Capability capability) {
  switch (capability) {
    case Capability::kDeviceEvents:
      return "needs device events; record with the GPU among the profiler's activities";
    case Capability::kHostOps:
      return "needs host ops; record with the CPU among the profiler's activities";
    case Capability::kLaunchLinks:
      return "needs the calls that launched the device work, which this recording lacks";
    case Capability::kShapes:
      return "needs input shapes; record with record_shapes=True";
    case Capability::kCallStacks:
      return "needs call stacks; record with with_stack=True";
    case Capability::kMemoryEvents:
      return "needs memory events; record with profile_memory=True";
    case Capability::kIterationMarkers:
      return "needs iteration markers; call the profiler's step() after each iteration";
    case Capability::kPython:
      return "needs Python frames; record with with_stack=True";
    case Capability::kOccupancy:
      return "needs the occupancy of kernels, which this recording lacks";
    case Capability::kDeviceProperties:
      return "needs the properties of the devices, which this recording lacks";
    case Capability::kSyncEvents:
      return "needs synchronization events, which this recording lacks";
    case Capability::kCollectiveInfo:
      return "needs the metadata of collectives, which this recording lacks";
  }
  return {};
}

}  // namespace profgauge
