#include "analysis/communication/collective_work.h"

#include <fmt/format.h>

#include <string>

#include "analysis/communication/communication.h"

namespace profgauge {
namespace {

std::string NameOfCollective(const RankContext& rank, std::size_t row) {
  const Profile& profile = *rank.profile;
  CollectiveKind kind = rank.classes[row].kind;
  std::int64_t size = -1;
  if (const CollectiveId recorded = profile.device.collective[row]; recorded.valid()) {
    const Collective& collective = profile.collectives[recorded.value];
    if (collective.name.valid()) kind = CollectiveKindOf(profile.Name(collective.name));
    size = CollectiveGroupSize(profile, collective);
  }
  const std::string name(kind == CollectiveKind::kOther ? "collectives of unknown kind"
                                                        : CollectiveKindId(kind));
  return size > 0 ? fmt::format("{} of {}", name, size) : name;
}

}  // namespace

std::vector<NameWork> CollectiveWorkOf(const RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  NamedWork work(rank);
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!rank.classes[row].collective) continue;
    work.Add(NameOfCollective(rank, row), rank.iterations.of_device[row], device.duration[row]);
  }
  return work.Take();
}

}  // namespace profgauge
