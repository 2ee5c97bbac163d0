#include "analysis/coverage.h"

#include <cstddef>

namespace profgauge {

void AddCoverage(std::span<const RankContext> ranks, Output& out) {
  Ns total = 0, with_op = 0, with_launch = 0, inside = 0;
  for (const RankContext& rank : ranks) {
    const DeviceTable& device = rank.profile->device;
    for (std::size_t i = 0; i < device.size(); ++i) {
      const Ns time = device.duration[i];
      total += time;
      if (device.op[i].valid()) with_op += time;
      if (device.launch[i].valid()) with_launch += time;
      const std::uint32_t iteration = rank.iterations.of_device[i];
      if (iteration != Iterations::kNone && rank.iterations.SelectsIteration(iteration))
        inside += time;
    }
  }
  if (total == 0) {
    for (const char* id :
         {"coverage.linked_share", "coverage.launched_share", "coverage.outside_share"}) {
      out.SetAbsent(id, out.Gap(Capability::kDeviceEvents));
    }
    return;
  }
  const auto share = [&](Ns part) {
    return static_cast<double>(part) / static_cast<double>(total);
  };
  out.Set("coverage.linked_share", share(with_op));
  out.Set("coverage.launched_share", share(with_launch));
  out.Set("coverage.outside_share", share(total - inside));
}

}  // namespace profgauge
