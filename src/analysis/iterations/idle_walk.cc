#include "analysis/iterations/idle_walk.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace profgauge::analysis::iterations {
namespace {

// The time of a device event, and the operator that launched it.
struct Work {
  std::uint32_t op;
  Ns start, end;
};

// Calls `visit` with each row that an operator launched, in table order.
template <class Visit>
void ForEachWork(const RankContext& rank, Visit visit) {
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.op[row].valid()) continue;
    const std::uint32_t op = rank.tree.representative[device.op[row].value];
    if (op == flops::OpTree::kNone) continue;
    const Ns end = device.start[row] + std::max<Ns>(device.duration[row], 0);
    visit(Work{op, device.start[row], end});
  }
}

// Sums the busy and idle time of each operator, from its work sorted by start:
//
//   work    [2, 5)  [4, 6)  [9, 10)
//   busy     3       1       1              end: 5, then 6, then 10
//   idle                     3              from 6 to 9
class Adder {
 public:
  explicit Adder(std::size_t ops) {
    use_.place.assign(ops, 0);
    use_.uses.resize(1);
  }

  /// Returns the op's place, which a new op gets now.
  std::uint32_t PlaceOf(std::uint32_t op) {
    std::uint32_t& place = use_.place[op];
    if (place != 0) return place;
    place = static_cast<std::uint32_t>(use_.uses.size());
    use_.uses.emplace_back();
    return place;
  }

  // REQUIRES: the op has its place; work of each op comes by start.
  void Add(const Work& work) {
    ends_.resize(use_.uses.size(), kNone);
    const std::uint32_t place = use_.place[work.op];
    GpuUseOfOp& use = use_.uses[place];
    Ns& end = ends_[place];  // The latest end so far.
    const Ns before = end == kNone ? work.start : end;
    end = std::max(work.end, before);
    use.idle += std::max<Ns>(0, work.start - before);
    use.busy += end - std::max(work.start, before);
  }
  OpGpuUse Take() { return std::move(use_); }

 private:
  static constexpr Ns kNone = std::numeric_limits<Ns>::min();
  OpGpuUse use_;
  std::vector<Ns> ends_;  // By place.
};

// By place: ops whose work is not sorted by start, e.g. on several streams.
std::vector<bool> FindMixed(const RankContext& rank, Adder& adder) {
  std::vector<Ns> last(1);
  std::vector<bool> is_mixed(1);
  ForEachWork(rank, [&](const Work& work) {
    const std::uint32_t place = adder.PlaceOf(work.op);
    if (place == last.size()) {
      last.push_back(work.start);
      is_mixed.push_back(false);
    }
    if (work.start < last[place]) is_mixed[place] = true;
    last[place] = work.start;
  });
  return is_mixed;
}

}  // namespace

// Long profiles have tens of millions of kernels, most of them of ops with one stream. So only rows
// that need sorting are collected.
OpGpuUse FindOpGpuUse(const RankContext& rank) {
  Adder adder(rank.profile->host.size());
  const std::vector<bool> is_mixed = FindMixed(rank, adder);
  std::vector<Work> mixed;
  ForEachWork(rank, [&](const Work& work) {
    if (is_mixed[adder.PlaceOf(work.op)]) {
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

}  // namespace profgauge::analysis::iterations
