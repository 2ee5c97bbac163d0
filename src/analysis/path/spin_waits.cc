#include "analysis/path/spin_waits.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "knowledge/spin.h"

namespace profgauge {
namespace {

// When a device works.
class BusyTimes {
 public:
  BusyTimes(const DeviceTable& device, std::int32_t gpu) {
    std::vector<Span> work;
    for (std::size_t row = 0; row < device.size(); ++row) {
      if (device.gpu[row] != gpu || device.duration[row] <= 0) continue;
      work.push_back({device.start[row], device.start[row] + device.duration[row]});
    }
    busy_ = Merge(std::move(work));
  }
  Ns Within(Span time) const {
    auto at = std::lower_bound(busy_.begin(), busy_.end(), time.start,
                               [](const Span& span, Ns start) { return span.end <= start; });
    Ns sum = 0;
    for (; at != busy_.end() && at->start < time.end; ++at) {
      sum += std::min(at->end, time.end) - std::max(at->start, time.start);
    }
    return sum;
  }

 private:
  std::vector<Span> busy_;
};

// Counters are written before their kernel ends, and seen a little after.
bool EndsWith(Span time, Ns kernel_end) {
  const Ns apart = std::max(time.end, kernel_end) - std::min(time.end, kernel_end);
  return apart <= knowledge::kSpinEndsApart.ns() ||
         apart <= knowledge::kSpinEndsApartShare.Of(time.length());
}

struct OfKind {
  std::size_t all = 0;                                 // Long stretches,
  std::vector<const SilentStretch*> with_kernel = {};  // and those that end with it.
};

}  // namespace

bool MayBeSpin(Ns length) { return length >= knowledge::kSpinLeast.ns(); }

std::vector<SilentStretch> SpinWaits(const Profile& profile, std::vector<SilentStretch> stretches,
                                     Ns usual) {
  const DeviceTable& device = profile.device;
  std::erase_if(stretches, [&](const SilentStretch& stretch) {
    return stretch.time.length() < knowledge::kSpinOfUsual.WholeOf(usual) ||
           device.kind[stretch.launched] != DeviceKind::kKernel;
  });
  std::map<std::int32_t, BusyTimes> busy;
  std::map<std::pair<std::uint32_t, std::uint32_t>, OfKind> kinds;
  for (const SilentStretch& stretch : stretches) {
    const std::uint32_t row = stretch.launched;
    OfKind& kind = kinds[{device.name[row].value, stretch.range.value}];
    ++kind.all;
    const Ns kernel_end = device.start[row] + std::max<Ns>(device.duration[row], 0);
    if (!EndsWith(stretch.time, kernel_end)) continue;
    const std::int32_t gpu = device.gpu[row];
    const BusyTimes& times = busy.try_emplace(gpu, device, gpu).first->second;
    if (times.Within(stretch.time) < knowledge::kSpinBusyShare.Of(stretch.time.length())) continue;
    kind.with_kernel.push_back(&stretch);
  }
  std::vector<SilentStretch> found;
  for (const auto& [names, kind] : kinds) {
    const std::size_t count = kind.with_kernel.size();
    if (knowledge::kSpinLeastTimes > count || count < knowledge::kSpinUsualShare.Of(kind.all)) {
      continue;
    }
    for (const SilentStretch* stretch : kind.with_kernel) found.push_back(*stretch);
  }
  return found;
}

}  // namespace profgauge
