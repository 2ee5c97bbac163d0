#include "api/default_policy.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "analysis/summary/rank_summary.h"

namespace profgauge {
namespace {

bool IsOnDevice(std::int64_t type) { return type != 0; }

bool HasUnknownEvents(const Profile& profile) {
  return !profile.log.Examples(Counter::events_ignored_kind).empty();
}

// The same of a rank whose events are gone.
bool UsedNoDevice(const RankSummary& rank, bool may_list) {
  const IterationFacts& times = rank.times;
  return rank.is_told && times.has_host && !times.has_device && !times.has_api &&
         (may_list || times.gpus_listed == 0) && !HasUnknownEvents(rank.profile) &&
         std::none_of(rank.memory.peaks.begin(), rank.memory.peaks.end(),
                      [](const MemoryPeak& peak) { return IsOnDevice(peak.device_type); });
}

// `may_list`: the machine may have devices.
bool UsesNoDevice(const Profile& profile, bool may_list) {
  if (IsSummary(profile)) {
    const std::optional<Summary> summary = SummaryOf(profile);
    const auto rank = summary ? ReadRankSummary(*summary, profile.source.path) : std::nullopt;
    return rank && UsedNoDevice(*rank, may_list);
  }
  const auto& memory = profile.memory.device_type;
  const bool on_device = std::any_of(memory.begin(), memory.end(), IsOnDevice);
  return profile.has_timeline && profile.host.size() > 0 && profile.device.size() == 0 &&
         profile.api.size() == 0 && (may_list || profile.gpus.empty()) &&
         profile.neuron == nullptr && !on_device && !HasUnknownEvents(profile);
}

}  // namespace

bool IsCpuOnly(std::span<const Profile> ranks) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [](const Profile& rank) { return UsesNoDevice(rank, false); });
}

bool MayBeCpuOnly(std::span<const Profile> ranks) {
  return !IsCpuOnly(ranks) && std::all_of(ranks.begin(), ranks.end(), [](const Profile& rank) {
    return UsesNoDevice(rank, true);
  });
}

}  // namespace profgauge
