#include "analysis/context/op_gpu_use.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace profgauge {

OpGpuUse FindOpGpuUse(const RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  struct Work {
    std::uint32_t op;
    Ns start, end;
  };
  std::vector<Work> work;
  work.reserve(device.size());
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.op[row].valid()) continue;
    const std::uint32_t op = rank.tree.representative[device.op[row].value];
    if (op == OpTree::kNone) continue;
    const Ns end = device.start[row] + std::max<Ns>(device.duration[row], 0);
    work.push_back({op, device.start[row], end});
  }
  std::sort(work.begin(), work.end(), [](const Work& a, const Work& b) {
    return std::tuple(a.op, a.start, a.end) < std::tuple(b.op, b.start, b.end);
  });
  OpGpuUse use;
  use.busy.assign(rank.profile->host.size(), 0);
  use.idle = use.busy;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const bool is_first = i == 0 || work[i].op != work[i - 1].op;
    const Ns before = is_first ? work[i].start : work[i - 1].end;
    work[i].end = std::max(work[i].end, before);  // The latest end so far.
    use.idle[work[i].op] += std::max<Ns>(0, work[i].start - before);
    use.busy[work[i].op] += work[i].end - std::max(work[i].start, before);
  }
  return use;
}

}  // namespace profgauge
