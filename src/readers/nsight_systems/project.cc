// Computes when the device work of the program's ranges ran on the GPU, for the timeline.
#include "readers/nsight_systems/project.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "base/interval.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {
namespace {

bool IsShown(HostKind kind) {
  return kind == HostKind::kAnnotation || kind == HostKind::kIterationMarker;
}

// For each host row, the innermost shown range: the row itself or the nearest one around it.
std::vector<HostId> ShownOf(const HostTable& host) {
  std::vector<HostId> shown(host.size());
  for (std::uint32_t row = 0; row < host.size(); ++row) {  // Parents come first.
    const HostId parent = host.parent[row];
    if (IsShown(host.kind[row])) {
      shown[row] = HostId{row};
    } else if (parent.valid()) {
      shown[row] = shown[parent.value];
    }
  }
  return shown;
}

// The key of a span: range, device and stream. Later ranges come first in the map.
using Key = std::tuple<std::uint32_t, std::int32_t, std::int64_t>;
class Covered {
 public:
  using Spans = std::map<Key, Span, std::greater<>>;

  void Add(const Key& key, Span work) {
    // Consecutive kernels of a stream mostly belong to one range, so the last span is tried first.
    if (last_ == spans_.end() || last_->first != key) last_ = spans_.try_emplace(key, work).first;
    last_->second.start = std::min(last_->second.start, work.start);
    last_->second.end = std::max(last_->second.end, work.end);
  }
  const Spans& spans() const { return spans_; }

 private:
  Spans spans_;
  Spans::iterator last_ = spans_.end();
};

}  // namespace

// Projects ranges to the device, inner ones first, because their row numbers are higher:
//
//   host     [step ...............................]
//              [forward ....] [backward ........]
//   api         k1  k2          k3
//   device           [k1][k2]       [k3]
//   ranges           [forward]      [backward]          from the first to the last work below it
//                    [step ------------------]
void ProjectRanges(Profile& profile) {
  const DeviceTable& device = profile.device;
  const std::vector<HostId> shown = ShownOf(profile.host);
  Covered covered;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid()) continue;
    const HostId op = profile.api.op[device.launch[row].value];
    if (!op.valid() || !shown[op.value].valid()) continue;
    covered.Add({shown[op.value].value, device.gpu[row], device.stream[row]},
                {device.start[row], device.start[row] + device.duration[row]});
  }
  // Adds each range's span to the shown range around it, which comes later in the order.
  for (const auto& [key, span] : covered.spans()) {
    const auto& [range, gpu, stream] = key;
    const HostId parent = profile.host.parent[range];
    if (!parent.valid() || !shown[parent.value].valid()) continue;
    covered.Add({shown[parent.value].value, gpu, stream}, span);
  }
  std::vector<std::tuple<Ns, Ns, std::uint32_t, std::int32_t, std::int64_t>> rows;
  for (const auto& [key, span] : covered.spans()) {
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
