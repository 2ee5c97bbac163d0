#include "analysis/recording/coverage.h"

#include <algorithm>
#include <cstddef>

namespace profgauge {

namespace {

bool HasRanges(const Profile& profile) {
  const auto& kinds = profile.host.kind;
  return std::any_of(kinds.begin(), kinds.end(), [](HostKind kind) {
    return kind != HostKind::kIterationMarker && kind != HostKind::kOverhead;
  });
}

}  // namespace

void AddCoverage(std::span<const RankContext> ranks, Output& out) {
  bool has_ranges = false, has_calls = false;
  Ns total = 0, with_op = 0, with_launch = 0, inside = 0;
  for (const RankContext& rank : ranks) {
    const DeviceTable& device = rank.profile->device;
    has_ranges = has_ranges || HasRanges(*rank.profile);
    has_calls = has_calls || rank.profile->api.size() > 0;
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
  // Where the host was not recorded, a share of 0 would be a fault of the recorded program.
  if (has_ranges || with_op > 0) {
    out.Set("coverage.linked_share", share(with_op));
  } else {
    out.SetAbsent("coverage.linked_share", out.Gap(Capability::kHostOps));
  }
  if (has_calls || with_launch > 0) {
    out.Set("coverage.launched_share", share(with_launch));
  } else {
    out.SetAbsent("coverage.launched_share", out.Gap(Capability::kLaunchLinks));
  }
  out.Set("coverage.outside_share", share(total - inside));
}

}  // namespace profgauge
