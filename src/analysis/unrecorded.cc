#include "analysis/unrecorded.h"

#include <algorithm>
#include <string>

namespace profgauge {
namespace {

constexpr std::string_view kHostCopies[] = {"memcpy.h2d.", "memcpy.d2h."};

bool HasCopies(const Profile& profile) {
  const auto& kinds = profile.device.kind;
  return std::find(kinds.begin(), kinds.end(), DeviceKind::kMemcpy) != kinds.end();
}

/// Why copies between host and device are unknown; empty where they are known.
std::string CopiesUnknown(const Profile& profile) {
  if (profile.neuron != nullptr) {
    return "a profile of a NeuronCore holds DMA inside of the device only";
  }
  if (profile.source.format == "neuron") {
    return "a system profile holds calls that copy, not the copies";
  }
  if (profile.source.format == "rocprofv3" && !HasCopies(profile)) {
    return "no copy was recorded; record with `rocprofv3 --memory-copy-trace`";
  }
  return {};
}

}  // namespace

void AddUnrecorded(std::span<const RankContext> ranks, Output& out) {
  std::string reason;
  for (const RankContext& rank : ranks) {
    const std::string why = CopiesUnknown(*rank.profile);
    if (why.empty()) return;
    reason = why;
  }
  for (const MetricSpec& spec : MetricCatalogue()) {
    for (const std::string_view prefix : kHostCopies) {
      if (spec.id.starts_with(prefix) && out.IsSet(spec.id)) out.SetAbsent(spec.id, reason);
    }
  }
}

}  // namespace profgauge
