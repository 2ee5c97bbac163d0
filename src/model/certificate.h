// Invariants of every profile, and facts about data that one profile is missing.
#pragma once

#include <string_view>

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

// Adds facts about faults other than lost events: a device clock ahead of the host's, collectives
// that the host launched and whose device work is missing, and times that are too coarse for the
// shortest kernels (repair::CheckLengths). Computed once, for all formats. Summaries keep these
// facts, too.

/// Keys of the facts that Certify() adds.
inline constexpr std::string_view kDeviceClock = "device clock";
inline constexpr std::string_view kCollectivesLost = "collectives without device work";
inline constexpr std::string_view kTimeResolution = "time resolution";
/// For profiles without device events: the evidence that the program used a device. A list of the
/// machine's devices is no such evidence.
inline constexpr std::string_view kDeviceUse = "device use";

/// Adds the facts that are true. O(n). REQUIRES: calls, ranges and device work are linked.
void Certify(Profile& profile);

/// The value of a fact; empty if the profile does not have the fact.
std::string_view FactOf(const Profile& profile, std::string_view key);

// Invariants of every Profile that ProfileBuilder::Finish() returns.

/// No time is further from 0 than this, so that sums of a few times fit in 64 bits.
inline constexpr Ns kFarthestTime = Ns{1} << 61;

/// Checks that columns are equally long, rows are in the documented order, ids are in range, no
/// time is before the profile's start, and no duration is negative. O(rows). Finish() calls it
/// last. Errors: kInternal with the first broken invariant.
Status CheckInvariants(const Profile& profile);

// Names that are missing in the file.

/// Replaces the missing name of a kernel; with the kernel's number, if it has one: "(unnamed kernel
/// 17)".
inline constexpr std::string_view kUnnamedKernel = "(unnamed kernel)";

/// True if a kernel's name was not recorded, so that its purpose is unknown.
inline bool IsLostName(std::string_view name) {
  constexpr std::string_view kBegin = "(unnamed kernel";
  return name.empty() || name.starts_with(kBegin);
}

// The error for a profile that breaks a rule of model/tables.h.

/// kInternal, "model/invariant": a defect of a reader or of ProfileBuilder, not of the file.
/// `table`: "host", "api" and so on.
Error BrokenTable(const Profile& profile, std::string_view table);

}  // namespace profgauge
