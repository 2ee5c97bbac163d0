#include "analysis/time/iteration_sums.h"

#include <optional>
#include <string>

#include "base/metric_id.h"

namespace profgauge {
namespace {

std::optional<MetricId> SumOf(const DeviceTable& device, std::size_t row) {
  if (device.kind[row] == DeviceKind::kKernel) return metric::kProfileKernelTime;
  if (device.kind[row] != DeviceKind::kMemcpy) return std::nullopt;
  switch (device.copy[row]) {
    case CopyKind::kHostToDevice:
      return metric::kMemcpyH2dTime;
    case CopyKind::kDeviceToHost:
      return metric::kMemcpyD2hTime;
    case CopyKind::kDeviceToDevice:
    case CopyKind::kPeerToPeer:
      return metric::kMemcpyD2dTime;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::vector<NameWork> IterationSumsOf(const RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  if (rank.iterations.is_whole) return {};
  NamedWork sums(rank);
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (const auto id = SumOf(device, row)) {
      sums.Add(std::string(id->text()), rank.iterations.of_device[row], device.duration[row]);
    }
  }
  return sums.Take();
}

}  // namespace profgauge
