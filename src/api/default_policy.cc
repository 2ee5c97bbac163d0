#include "api/default_policy.h"

#include <algorithm>
#include <cstdint>

namespace profgauge {
namespace {

bool UsesNoDevice(const Profile& profile) {
  const auto& memory = profile.memory.device_type;
  const bool on_device =
      std::any_of(memory.begin(), memory.end(), [](std::int8_t type) { return type != 0; });
  return profile.has_timeline && profile.host.size() > 0 && profile.device.size() == 0 &&
         profile.api.size() == 0 && profile.gpus.empty() && profile.neuron == nullptr &&
         !on_device && profile.log.Examples(Counter::events_ignored_kind).empty();
}

}  // namespace

bool IsCpuOnly(std::span<const Profile> ranks) {
  return std::all_of(ranks.begin(), ranks.end(), UsesNoDevice);
}

}  // namespace profgauge
