#include "analysis/communication/rank_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/communication/communication.h"
#include "base/interval.h"

namespace profgauge::analysis::communication {

RankParts PartsFrom(const breakdown::Breakdown& breakdown, Ns overlapped) {
  const auto of = [&](Category category) { return breakdown[static_cast<std::size_t>(category)]; };
  RankParts parts;
  parts.overlapped = overlapped;
  parts.compute_only =
      of(Category::kTensorCoreKernel) + of(Category::kOtherKernel) - parts.overlapped;
  parts.transfer_exposed = of(Category::kCommunication);
  parts.copy = of(Category::kMemcpy) + of(Category::kMemset);
  parts.dataloader = of(Category::kDataLoader);
  parts.host = of(Category::kRuntime) + of(Category::kCpu);
  parts.unattributed = of(Category::kOther);
  parts.on_matrix_units = of(Category::kTensorCoreKernel);
  parts.memset = of(Category::kMemset);
  parts.runtime = of(Category::kRuntime);
  return parts;
}

// `waiting_exposed` is not added: before calls are matched, it is 0 in all iterations.
RankParts SumOf(std::span<const RankParts> steps) {
  RankParts sum;
  for (const RankParts& step : steps) {
    sum.compute_only += step.compute_only;
    sum.overlapped += step.overlapped;
    sum.transfer_exposed += step.transfer_exposed;
    sum.copy += step.copy;
    sum.dataloader += step.dataloader;
    sum.host += step.host;
    sum.unattributed += step.unattributed;
    sum.on_matrix_units += step.on_matrix_units;
    sum.memset += step.memset;
    sum.runtime += step.runtime;
  }
  return sum;
}

std::vector<RankParts> PartsOfSteps(const breakdown::CategoryTimes& times) {
  std::vector<RankParts> parts;
  for (std::size_t i = 0; i < times.iterations.size(); ++i) {
    parts.push_back(PartsFrom(times.iterations[i], times.overlapped[i]));
  }
  return parts;
}

namespace {

std::string NameOfCollective(const iterations::RankContext& rank, std::size_t row) {
  const Profile& profile = *rank.profile;
  classify::CollectiveKind kind = rank.classes[row].kind;
  std::int64_t size = -1;
  if (const CollectiveId recorded = profile.device.collective[row]; recorded.valid()) {
    const Collective& collective = profile.collectives[recorded.value];
    if (collective.name.valid()) kind = classify::CollectiveKindOf(profile.Name(collective.name));
    size = classify::CollectiveGroupSize(profile, collective);
  }
  const std::string name(kind == classify::CollectiveKind::kOther
                             ? "collectives of unknown kind"
                             : classify::CollectiveKindId(kind));
  return size > 0 ? fmt::format("{} of {}", name, size) : name;
}

}  // namespace

std::vector<classify::DeviceSpans> OwnDeviceSpans(const iterations::RankContext& rank) {
  std::vector<classify::DeviceSpans> devices =
      classify::CollectDeviceSpans(*rank.profile, rank.classes);
  std::erase_if(devices, [&](const classify::DeviceSpans& device) {
    return std::none_of(rank.gpus.begin(), rank.gpus.end(),
                        [&](const iterations::GpuUse& use) { return use.gpu == device.gpu; });
  });
  return devices;
}

std::vector<breakdown::NameWork> CollectiveWorkOf(const iterations::RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  breakdown::NamedWork work(rank);
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!rank.classes[row].collective) continue;
    work.Add(NameOfCollective(rank, row), rank.iterations.of_device[row], device.duration[row]);
  }
  return work.Take();
}

// Time between two iterations belongs to the earlier one, so that the parts of all iterations cover
// the window.
std::vector<Ns> CommunicationByIteration(const iterations::RankContext& rank) {
  const std::span<const iterations::Iteration> selected = rank.iterations.selected();
  bool communicates = false;
  for (std::size_t row = 0; row < rank.classes.size() && !communicates; ++row) {
    communicates = rank.classes[row].collective;
  }
  if (!communicates) return {};  // Saves lists as long as the profile.
  std::vector<Ns> times(selected.size(), 0);
  for (const classify::DeviceSpans& spans : OwnDeviceSpans(rank)) {
    for (std::size_t i = 0; i < selected.size(); ++i) {
      Span own = selected[i].time;
      if (i + 1 < selected.size()) own.end = std::max(own.start, selected[i + 1].time.start);
      times[i] += OverlapLength(std::vector<Span>{own}, Near(spans.communication, own));
    }
  }
  return times;
}

}  // namespace profgauge::analysis::communication
