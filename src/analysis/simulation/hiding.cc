#include "analysis/simulation/hiding.h"

#include <algorithm>

#include "analysis/classify/device_spans.h"
#include "base/interval.h"

namespace profgauge::analysis::simulation {
namespace {

bool IsHideable(const iterations::RankContext& rank, std::uint32_t row, Hidden hidden) {
  const bool is_collective = rank.classes[row].collective;
  return hidden == Hidden::kCollectives
             ? is_collective
             : !is_collective && rank.profile->device.kind[row] != DeviceKind::kKernel;
}

// The periods in which collectives wait for another rank.
std::vector<Span> WaitingOf(const DeviceTable& device, std::span<const Ns> transfers) {
  std::vector<Span> waiting;
  for (std::uint32_t row = 0; row < transfers.size(); ++row) {
    const Ns waits = transfers[row] < 0 ? 0 : device.duration[row] - transfers[row];
    if (waits > 0) waiting.push_back({device.start[row], device.start[row] + waits});
  }
  return Merge(std::move(waiting));
}

}  // namespace

double HidingRoom::HiddenShare(std::int32_t gpu, double computing) const {
  const auto its =
      std::find_if(gpus.begin(), gpus.end(), [gpu](const Gpu& some) { return some.gpu == gpu; });
  if (its == gpus.end() || its->exposed <= 0) return 0;
  const double room = static_cast<double>(its->computing) * computing;
  return std::min(1.0, room / static_cast<double>(its->exposed));
}

HidingRoom RoomToHide(const iterations::RankContext& rank, std::span<const Ns> transfers,
                      Hidden hidden) {
  HidingRoom room;
  const DeviceTable& device = rank.profile->device;
  bool has_any = false;
  for (std::uint32_t row = 0; row < device.size() && !has_any; ++row) {
    has_any = IsHideable(rank, row, hidden);
  }
  if (!has_any) return room;
  const auto times =
      classify::ExposedTimes(*rank.profile, rank.classes,
                             hidden == Hidden::kCollectives ? classify::Exposable::kCollectives
                                                            : classify::Exposable::kCopiesAndSets,
                             WaitingOf(device, transfers));
  room.exposed.assign(device.size(), 0);
  std::vector<Span> selected;
  for (const iterations::Iteration& iteration : rank.iterations.selected()) {
    selected.push_back(iteration.time);
  }
  selected = Merge(std::move(selected));
  for (const classify::DeviceSpans& spans :
       classify::CollectDeviceSpans(*rank.profile, rank.classes)) {
    const classify::DeviceRows rows = classify::RowsOfGpu(device, spans.gpu);
    HidingRoom::Gpu& gpu = room.gpus.emplace_back();
    gpu.gpu = spans.gpu;
    std::vector<Span> moving;
    for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
      if (!IsHideable(rank, row, hidden)) continue;
      moving.push_back({device.start[row], device.start[row] + device.duration[row]});
      if (!rank.InIterations(DeviceId{row})) continue;
      room.exposed[row] = times[row];
      gpu.exposed += times[row];
    }
    const std::vector<Span> alone = Subtract(spans.compute, Merge(std::move(moving)));
    gpu.computing = OverlapLength(alone, selected);
  }
  return room;
}

}  // namespace profgauge::analysis::simulation
