#include "analysis/context/streams_behind.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "base/units.h"

namespace profgauge {
namespace {

// Of each GPU, the stream with most kernels. Rows are sorted by GPU and stream.
boost::unordered_flat_set<std::uint64_t> MainStreams(const DeviceTable& device) {
  boost::unordered_flat_set<std::uint64_t> main;
  std::uint64_t best = 0;
  std::int64_t most = 0;
  for (std::size_t row = 0; row < device.size();) {
    const std::uint64_t stream = StreamOf(device, row);
    const std::int32_t gpu = device.gpu[row];
    std::int64_t kernels = 0;
    for (; row < device.size() && StreamOf(device, row) == stream; ++row) {
      kernels += device.kind[row] == DeviceKind::kKernel;
    }
    if (kernels > most) {
      most = kernels;
      best = stream;
    }
    const bool is_last_of_gpu = row == device.size() || device.gpu[row] != gpu;
    if (!is_last_of_gpu) continue;
    if (most > 0) main.insert(best);
    most = 0;
  }
  return main;
}

}  // namespace

boost::unordered_flat_set<std::uint64_t> StreamsBehind(const DeviceTable& device,
                                                       std::span<const std::uint32_t> of_device) {
  struct Course {
    Ns end = std::numeric_limits<Ns>::min();
    std::int64_t events = 0;
  };
  const auto key = [&](std::size_t row, std::uint32_t iteration) {
    return std::pair(device.gpu[row], iteration);
  };
  const boost::unordered_flat_set<std::uint64_t> main = MainStreams(device);
  boost::unordered_flat_map<std::pair<std::int32_t, std::uint32_t>, Course> courses;
  std::vector<std::size_t> beside;
  for (std::size_t row = 0; row < device.size();) {
    const std::uint64_t stream = StreamOf(device, row);
    const bool is_main = main.contains(stream);
    Course* course = nullptr;
    std::uint32_t iteration = kNoIteration;
    for (; row < device.size() && StreamOf(device, row) == stream; ++row) {
      if (of_device[row] == kNoIteration) continue;
      if (!is_main) {
        beside.push_back(row);
        continue;
      }
      if (of_device[row] != iteration) {  // Work of one is mostly in a row.
        iteration = of_device[row];
        course = &courses[key(row, iteration)];
      }
      const Ns end = device.start[row] + std::max<Ns>(device.duration[row], 0);
      course->end = std::max(course->end, end);
      ++course->events;
    }
  }
  boost::unordered_flat_set<std::uint64_t> behind;
  for (const std::size_t row : beside) {
    const auto own = courses.find(key(row, of_device[row]));
    const auto next = courses.find(key(row, of_device[row] + 1));
    // A rest of an iteration at the recording's end is soon done.
    if (own == courses.end() || next == courses.end()) continue;
    if (2 * next->second.events < own->second.events) continue;
    if (device.start[row] + device.duration[row] > next->second.end) {
      behind.insert(StreamOf(device, row));
    }
  }
  return behind;
}

}  // namespace profgauge
