#include "analysis/recording/unrecorded.h"

#include <algorithm>
#include <string>
#include <vector>

namespace profgauge {
namespace {

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

UnrecordedFacts UnrecordedFactsOf(const RankContext& rank) {
  return {CopiesUnknown(*rank.profile), HasCopies(*rank.profile)};
}

void AddUnrecorded(std::span<const RankContext> ranks, Output& out) {
  std::vector<UnrecordedFacts> facts;
  for (const RankContext& rank : ranks) facts.push_back(UnrecordedFactsOf(rank));
  AddUnrecorded(facts, out);
}

void AddUnrecorded(std::span<const UnrecordedFacts> ranks, Output& out) {
  std::string reason;
  bool of_device = false;  // DMA inside of the device is known.
  for (const UnrecordedFacts& rank : ranks) {
    if (rank.copies_unknown.empty()) return;
    reason = rank.copies_unknown;
    of_device = of_device || rank.has_copies;
  }
  for (const MetricSpec& spec : MetricCatalogue()) {
    if (!spec.id.starts_with("memcpy.") || !out.IsSet(spec.id)) continue;
    if (of_device && spec.id.starts_with("memcpy.d2d.")) continue;
    out.SetAbsent(spec.id, reason);
  }
}

}  // namespace profgauge
