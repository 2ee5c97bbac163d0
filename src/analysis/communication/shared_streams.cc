#include "analysis/communication/shared_streams.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "knowledge/collectives.h"

namespace profgauge::analysis::communication {
namespace {

struct StreamTimes {
  Ns compute = 0, collectives = 0;
  std::int64_t calls = 0;
};

// By GPU and stream.
using Streams = std::map<std::pair<std::int32_t, std::int64_t>, StreamTimes>;

Streams SumStreams(const iterations::RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  Streams streams;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel || !rank.InIterations(DeviceId{row})) continue;
    StreamTimes& times = streams[{device.gpu[row], device.stream[row]}];
    if (rank.classes[row].collective) {
      times.collectives += device.duration[row];
      ++times.calls;
    } else {
      times.compute += device.duration[row];
    }
  }
  return streams;
}

}  // namespace

SharedStreams SharedStreamsOf(const iterations::RankContext& rank) {
  const Streams streams = SumStreams(rank);
  std::map<std::int32_t, Ns> compute;  // By GPU.
  for (const auto& [key, times] : streams) compute[key.first] += times.compute;
  SharedStreams shared;
  std::map<std::int64_t, Ns> found;  // GPUs may use equal stream numbers.
  for (const auto& [key, times] : streams) {
    shared.all += times.collectives;
    if (times.calls == 0 || times.compute == 0) continue;
    if (static_cast<double>(times.compute) < knowledge::kCollectivesSharedStreamShare.value() *
                                                 static_cast<double>(compute[key.first])) {
      continue;
    }
    shared.time += times.collectives;
    shared.calls += times.calls;
    found[key.second] += times.collectives;
  }
  std::vector<std::pair<Ns, std::int64_t>> longest;
  for (const auto& [stream, time] : found) longest.emplace_back(-time, stream);
  std::sort(longest.begin(), longest.end());
  for (const auto& [time, stream] : longest) {
    shared.streams += (shared.streams.empty() ? "" : ", ") + std::to_string(stream);
  }
  return shared;
}

}  // namespace profgauge::analysis::communication
