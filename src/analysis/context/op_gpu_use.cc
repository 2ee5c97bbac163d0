#include "analysis/context/op_gpu_use.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace profgauge {
namespace {

struct Work {
  std::uint32_t op;
  Ns start, end;
};

template <class Visit>
void ForEachWork(const RankContext& rank, Visit visit) {
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.op[row].valid()) continue;
    const std::uint32_t op = rank.tree.representative[device.op[row].value];
    if (op == OpTree::kNone) continue;
    const Ns end = device.start[row] + std::max<Ns>(device.duration[row], 0);
    visit(Work{op, device.start[row], end});
  }
}

// Ops whose work is not met in the order of its starts: it is on several streams.
std::vector<bool> FindMixed(const RankContext& rank) {
  const std::size_t ops = rank.profile->host.size();
  std::vector<Ns> last(ops, std::numeric_limits<Ns>::min());
  std::vector<bool> is_mixed(ops, false);
  ForEachWork(rank, [&](const Work& work) {
    if (work.start < last[work.op]) is_mixed[work.op] = true;
    last[work.op] = work.start;
  });
  return is_mixed;
}

class Adder {
 public:
  explicit Adder(std::size_t ops) : ends_(ops, kNone) {
    use_.busy.assign(ops, 0);
    use_.idle = use_.busy;
  }

  // REQUIRES: of each op in the order of starts.
  void Add(const Work& work) {
    Ns& end = ends_[work.op];  // The latest so far.
    const Ns before = end == kNone ? work.start : end;
    end = std::max(work.end, before);
    use_.idle[work.op] += std::max<Ns>(0, work.start - before);
    use_.busy[work.op] += end - std::max(work.start, before);
  }
  OpGpuUse Take() { return std::move(use_); }

 private:
  static constexpr Ns kNone = std::numeric_limits<Ns>::min();
  OpGpuUse use_;
  std::vector<Ns> ends_;
};

}  // namespace

// Long recordings have tens of millions of kernels, most of them of ops with one stream: only what
// must be sorted is collected.
OpGpuUse FindOpGpuUse(const RankContext& rank) {
  const std::vector<bool> is_mixed = FindMixed(rank);
  std::vector<Work> mixed;
  Adder adder(is_mixed.size());
  ForEachWork(rank, [&](const Work& work) {
    if (is_mixed[work.op]) {
      mixed.push_back(work);
    } else {
      adder.Add(work);
    }
  });
  std::sort(mixed.begin(), mixed.end(), [](const Work& a, const Work& b) {
    return std::tuple(a.op, a.start, a.end) < std::tuple(b.op, b.start, b.end);
  });
  for (const Work& work : mixed) adder.Add(work);
  return adder.Take();
}

}  // namespace profgauge
