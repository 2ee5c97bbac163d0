// Ranges of the program as the GPU saw them, for the timeline.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/interval.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {
namespace {

bool IsShown(HostKind kind) {
  return kind == HostKind::kAnnotation || kind == HostKind::kIterationMarker;
}

}  // namespace

void ProjectRanges(Profile& profile) {
  const DeviceTable& device = profile.device;
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int64_t>, Span> spans;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid()) continue;
    const Span work{device.start[row], device.start[row] + device.duration[row]};
    for (HostId at = profile.api.op[device.launch[row].value]; at.valid();
         at = profile.host.parent[at.value]) {
      if (!IsShown(profile.host.kind[at.value])) continue;
      const auto [found, is_new] =
          spans.try_emplace({at.value, device.gpu[row], device.stream[row]}, work);
      if (is_new) continue;
      found->second.start = std::min(found->second.start, work.start);
      found->second.end = std::max(found->second.end, work.end);
    }
  }
  std::vector<std::tuple<Ns, Ns, std::uint32_t, std::int32_t, std::int64_t>> rows;
  for (const auto& [key, span] : spans) {
    const auto& [range, gpu, stream] = key;
    rows.emplace_back(span.start, -span.length(), range, gpu, stream);
  }
  std::sort(rows.begin(), rows.end());
  DeviceRangeTable& table = profile.device_ranges;
  for (const auto& [start, length, range, gpu, stream] : rows) {
    table.start.push_back(start);
    table.duration.push_back(-length);
    table.name.push_back(profile.host.name[range]);
    table.gpu.push_back(gpu);
    table.stream.push_back(stream);
  }
}

}  // namespace profgauge::readers::nsight
