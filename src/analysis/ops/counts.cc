#include "analysis/ops/iteration_ops.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "base/metric_id.h"

namespace profgauge::analysis::ops {
namespace {

// From host to device, from device to host, within and between devices.
constexpr std::array<MetricId, 3> kDirections = {metric::kMemcpyH2dBytesPerIteration,
                                                 metric::kMemcpyD2hBytesPerIteration,
                                                 metric::kMemcpyD2dBytesPerIteration};
constexpr std::size_t kNoDirection = kDirections.size();

// Index into kDirections; copies between two GPUs stay on devices.
std::size_t DirectionOf(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return 0;
    case CopyKind::kDeviceToHost:
      return 1;
    case CopyKind::kDeviceToDevice:
    case CopyKind::kPeerToPeer:
      return 2;
    default:
      return kNoDirection;
  }
}

}  // namespace

CountFacts CountFactsOf(const context::RankContext& rank) {
  CountFacts counts;
  const DeviceTable& device = rank.profile->device;
  std::vector<bool> counted(rank.profile->api.size(), false);
  counts.iterations = static_cast<std::int64_t>(rank.iterations.selected().size());
  for (std::size_t row = 0; row < device.size(); ++row) {
    counts.has_device = true;
    counts.has_kernels |= device.kind[row] == DeviceKind::kKernel;
    const ApiId launch = device.launch[row];
    counts.has_launches |= launch.valid();
    const std::uint32_t iteration = rank.iterations.of_device[row];
    if (iteration == context::Iterations::kNone || !rank.iterations.SelectsIteration(iteration))
      continue;
    // One call may launch a whole graph of kernels.
    if (launch.valid() && !counted[launch.value]) {
      counted[launch.value] = true;
      ++counts.launches;
    }
    if (device.kind[row] == DeviceKind::kKernel) {
      counts.tensor_core_kernels += rank.classes[row].tensor_core == classify::Tri::kYes ? 1 : 0;
    } else if (device.kind[row] == DeviceKind::kMemcpy) {
      const std::size_t direction = DirectionOf(device.copy[row]);
      if (device.copy[row] == CopyKind::kUnknown) counts.is_complete.fill(false);
      if (direction == kNoDirection) continue;
      if (device.bytes[row] >= 0) {
        counts.bytes[direction] += device.bytes[row];
      } else {
        counts.is_complete[direction] = false;
      }
    }
  }
  return counts;
}

// The mean over iterations of all ranks. A direction is unknown if any copy of any rank has no size
// or no direction.
void AddCounts(std::span<const CountFacts> ranks, tables::Output& out) {
  CountFacts counts;
  for (const CountFacts& rank : ranks) {
    counts.iterations += rank.iterations;
    counts.launches += rank.launches;
    counts.tensor_core_kernels += rank.tensor_core_kernels;
    for (std::size_t i = 0; i < kDirections.size(); ++i) {
      counts.bytes[i] += rank.bytes[i];
      counts.is_complete[i] = counts.is_complete[i] && rank.is_complete[i];
    }
    counts.has_device |= rank.has_device;
    counts.has_launches |= rank.has_launches;
    counts.has_kernels |= rank.has_kernels;
  }
  const auto set = [&](MetricId id, std::int64_t sum, bool is_known, const std::string& reason) {
    if (!counts.has_device) {
      out.SetAbsent(id, CapabilityGap(Capability::kDeviceEvents));
    } else if (!is_known) {
      out.SetAbsent(id, reason);
    } else if (counts.iterations > 0) {
      out.Set(id, static_cast<double>(sum) / static_cast<double>(counts.iterations));
    }
  };
  set(metric::kLaunchCountPerIteration, counts.launches, counts.has_launches,
      CapabilityGap(Capability::kLaunchLinks));
  set(metric::kTensorCoreKernelsPerIteration, counts.tensor_core_kernels, counts.has_kernels,
      CapabilityGap(Capability::kDeviceEvents));
  for (std::size_t i = 0; i < kDirections.size(); ++i) {
    set(kDirections[i], counts.bytes[i], counts.is_complete[i],
        "size or direction of some copies was not recorded");
  }
}

}  // namespace profgauge::analysis::ops
