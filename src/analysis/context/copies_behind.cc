#include "analysis/context/copies_behind.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "base/units.h"

namespace profgauge {
namespace {

Ns EndOf(const DeviceTable& device, std::uint32_t row) {
  return device.start[row] + std::max<Ns>(device.duration[row], 0);
}

// GPU and stream.
std::pair<std::int32_t, std::int64_t> GpuStreamOf(const DeviceTable& device, std::uint32_t row) {
  return {device.gpu[row], device.stream[row]};
}

}  // namespace

boost::unordered_flat_set<std::uint32_t> CopiesBehind(const DeviceTable& device,
                                                      std::span<const std::uint32_t> of_device) {
  struct Kernels {
    Ns end = std::numeric_limits<Ns>::min();
    std::int64_t count = 0;
  };
  using Key = std::pair<std::int32_t, std::uint32_t>;  // GPU and iteration.
  boost::unordered_flat_map<Key, Kernels> kernels;
  std::vector<std::uint32_t> copies;
  Key key{-1, kNoIteration};
  Kernels* of_key = nullptr;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (of_device[row] == kNoIteration) continue;
    if (device.kind[row] != DeviceKind::kKernel) {
      copies.push_back(row);
      continue;
    }
    const Key own{device.gpu[row], of_device[row]};
    if (of_key == nullptr || own != key) {  // Work of an iteration is mostly in a row.
      key = own;
      of_key = &kernels[own];
    }
    of_key->end = std::max(of_key->end, EndOf(device, row));
    ++of_key->count;
  }
  boost::unordered_flat_set<std::uint32_t> behind;
  boost::unordered_flat_set<std::pair<std::int32_t, std::int64_t>> streams;  // Of these.
  std::vector<std::uint32_t> of_last;
  for (const std::uint32_t row : copies) {
    const auto own = kernels.find({device.gpu[row], of_device[row]});
    if (own == kernels.end() || EndOf(device, row) <= own->second.end) continue;
    const auto next = kernels.find({device.gpu[row], of_device[row] + 1});
    // A rest of an iteration at the recording's end is soon done.
    if (next == kernels.end() || 2 * next->second.count < own->second.count) {
      of_last.push_back(row);
    } else if (EndOf(device, row) > next->second.end) {
      behind.insert(row);
      streams.insert(GpuStreamOf(device, row));
    }
  }
  // Behind the last iteration nothing shows what is not waited for but what was not before.
  for (const std::uint32_t row : of_last) {
    if (streams.contains(GpuStreamOf(device, row))) behind.insert(row);
  }
  return behind;
}

}  // namespace profgauge
