// Faults that a profile shows beyond lost events: a device clock ahead of the host's,
// collectives that the host launched and whose work is missing, and times that are too coarse for
// its shortest kernels (repair::CheckLengths). Found once, of all formats, and kept as facts, which
// summaries keep too.
#pragma once

#include <string_view>

#include "model/profile.h"

namespace profgauge {

/// Facts about a profile, and their consequences.
inline constexpr std::string_view kDeviceClock = "device clock";
inline constexpr std::string_view kCollectivesLost = "collectives without device work";
inline constexpr std::string_view kTimeResolution = "time resolution";

/// Adds the facts that hold. O(n). REQUIRES: calls, ranges and device work are linked.
void Certify(Profile& profile);

/// The value of a fact; empty when there is none.
std::string_view FactOf(const Profile& profile, std::string_view key);

}  // namespace profgauge
