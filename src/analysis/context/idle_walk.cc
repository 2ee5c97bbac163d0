#include "analysis/context/idle_walk.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "knowledge/clocks.h"

namespace profgauge::analysis::context {
namespace {

constexpr Ns kRounding = knowledge::kClocksEventRounding.ns();

// The tick in which a GPU's times are recorded, as far as they show it: 1 us, 100 ns or 10 ns, else
// 0. Times that went through floating point miss their tick by a nanosecond or two.
Ns TickOf(const DeviceTable& device, classify::DeviceRows rows) {
  constexpr std::size_t kSample = 2048;
  const std::size_t count = rows.end - rows.begin;
  if (count < knowledge::kClocksTickLeastEvents) return 0;
  const std::size_t step = std::max<std::size_t>(1, count / kSample);
  for (const Ns tick : {Ns{1000}, Ns{100}, Ns{10}}) {
    const auto is_on_tick = [&](Ns at) {
      const Ns off = ((at - device.start[rows.begin]) % tick + tick) % tick;
      return std::min(off, tick - off) < kRounding;
    };
    std::size_t on_tick = 0, seen = 0;
    for (std::size_t row = rows.begin; row < rows.end; row += step, ++seen) {
      const Ns end = device.start[row] + device.duration[row];
      if (is_on_tick(device.start[row]) && is_on_tick(end)) ++on_tick;
    }
    if (static_cast<double>(on_tick) >= knowledge::kClocksTickShare * static_cast<double>(seen))
      return tick;
  }
  return 0;
}

}  // namespace

// A gap of one tick counts, also where rounding took a nanosecond or two of it; less is rounding.
Ns ShortestIdle(const DeviceTable& device, classify::DeviceRows rows) {
  return std::max(kRounding, TickOf(device, rows) - kRounding + 1);
}

namespace {

// The time of a row, and the operator that launched it.
struct Work {
  std::uint32_t op;
  Ns start, end;
};

// Calls `visit` with each row that an operator launched, in the order of the table.
template <class Visit>
void ForEachWork(const RankContext& rank, Visit visit) {
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!device.op[row].valid()) continue;
    const std::uint32_t op = rank.tree.representative[device.op[row].value];
    if (op == work::OpTree::kNone) continue;
    const Ns end = device.start[row] + std::max<Ns>(device.duration[row], 0);
    visit(Work{op, device.start[row], end});
  }
}

// Adds up the busy and idle time of each operator, from its work by start:
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

  /// A new op gets its place. Returns it.
  std::uint32_t PlaceOf(std::uint32_t op) {
    std::uint32_t& place = use_.place[op];
    if (place != 0) return place;
    place = static_cast<std::uint32_t>(use_.uses.size());
    use_.uses.emplace_back();
    return place;
  }

  // REQUIRES: the op has its place; of each op in the order of starts.
  void Add(const Work& work) {
    ends_.resize(use_.uses.size(), kNone);
    const std::uint32_t place = use_.place[work.op];
    GpuUseOfOp& use = use_.uses[place];
    Ns& end = ends_[place];  // The latest so far.
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

// By place: ops whose work is not in the order of its starts, e.g. on several streams.
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

// Long profiles have tens of millions of kernels, most of them of ops with one stream: only rows
// that must be sorted is collected.
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

}  // namespace profgauge::analysis::context
