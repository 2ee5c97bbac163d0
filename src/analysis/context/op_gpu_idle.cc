#include "analysis/context/op_gpu_idle.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace profgauge {

std::vector<Ns> OpGpuIdle(const RankContext& rank) {
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
  std::vector<Ns> idle(rank.profile->host.size(), 0);
  for (std::size_t i = 1; i < work.size(); ++i) {
    if (work[i].op != work[i - 1].op) continue;
    idle[work[i].op] += std::max<Ns>(0, work[i].start - work[i - 1].end);
    work[i].end = std::max(work[i].end, work[i - 1].end);  // The latest end so far.
  }
  return idle;
}

}  // namespace profgauge
