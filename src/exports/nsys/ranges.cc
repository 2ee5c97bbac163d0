#include "exports/nsys/reports.h"

#include <algorithm>

namespace profgauge::exports::nsys {

bool IsRange(const Profile& profile, std::uint32_t host_row) {
  if (profile.host.style[host_row] != RangeStyle::kNone) return true;
  const HostKind kind = profile.host.kind[host_row];
  // A mark is a moment: nsys counts only ranges.
  if (kind == HostKind::kAnnotation && profile.host.duration[host_row] == 0) return false;
  return kind == HostKind::kAnnotation || kind == HostKind::kIterationMarker;
}

std::string RangeLabel(const Profile& profile, std::uint32_t host_row) {
  std::string label(profile.Name(profile.host.domain[host_row]));
  return label.append(":").append(profile.Name(profile.host.name[host_row]));
}

std::string StyleLabel(const Profile& profile, std::uint32_t host_row) {
  switch (profile.host.style[host_row]) {
    case RangeStyle::kPushPop:
      return "PushPop";
    case RangeStyle::kStartEnd:
      return "StartEnd";
    case RangeStyle::kNone:
      break;
  }
  return "";
}

// O(launches x depth). A range that starts outside the selected iterations is left out, even around
// selected work.
void ForEachEnclosing(const SelectedRank& rank,
                      const std::function<void(std::uint32_t, std::uint32_t)>& use) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid() || !rank.HasWork(row)) continue;
    const std::uint32_t call = device.launch[row].value;
    const Ns call_end = profile.api.start[call] + profile.api.duration[call];
    for (HostId at = profile.api.op[call]; at.valid(); at = profile.host.parent[at.value]) {
      // A parent may overlap without containing.
      const Ns end = profile.host.start[at.value] + profile.host.duration[at.value];
      const bool holds = end >= call_end && rank.HasHostTime(profile.host.start[at.value]);
      if (holds && IsRange(profile, at.value)) use(at.value, row);
    }
  }
}

std::vector<Projection> ProjectRanges(const SelectedRank& rank) {
  const Profile& profile = *rank.profile;
  std::vector<Projection> projections(profile.host.size());
  ForEachEnclosing(rank, [&](std::uint32_t range, std::uint32_t work) {
    Projection& projection = projections[range];
    const Ns start = profile.device.start[work];
    const Ns end = start + profile.device.duration[work];
    if (projection.empty()) {
      projection.span = {start, end};
    } else {
      projection.span.start = std::min(projection.span.start, start);
      projection.span.end = std::max(projection.span.end, end);
    }
    ++projection.work;
  });
  return projections;
}

}  // namespace profgauge::exports::nsys
