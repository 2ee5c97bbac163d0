#include "analysis/context/idle_walk.h"

#include "knowledge/clocks.h"

namespace profgauge {
namespace {

constexpr Ns kRounding = knowledge::kClocksEventRounding.ns();

// The tick in which a GPU's times are recorded, as far as they show it: 1 us, 100 ns or 10 ns, else
// 0. Times that went through floating point miss their tick by a nanosecond or two.
Ns TickOf(const DeviceTable& device, DeviceRows rows) {
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

// A tick of the clock is a gap, a nanosecond or two less is not.
Ns ShortestIdle(const DeviceTable& device, DeviceRows rows) {
  return std::max(kRounding, TickOf(device, rows) - kRounding + 1);
}

}  // namespace profgauge
