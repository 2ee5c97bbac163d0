// What holds in every profile, and facts about what one lacks.
#pragma once

#include <string_view>

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

// Faults that a profile shows beyond lost events: a device clock ahead of the host's,
// collectives that the host launched and whose work is missing, and times that are too coarse for
// its shortest kernels (repair::CheckLengths). Found once, of all formats, and kept as facts, which
// summaries keep too.

/// Facts about a profile, and their consequences.
inline constexpr std::string_view kDeviceClock = "device clock";
inline constexpr std::string_view kCollectivesLost = "collectives without device work";
inline constexpr std::string_view kTimeResolution = "time resolution";
/// Of profiles without device events: what shows that the program used a device. A list of the
/// machine's devices shows nothing.
inline constexpr std::string_view kDeviceUse = "device use";

/// Adds the facts that hold. O(n). REQUIRES: calls, ranges and device work are linked.
void Certify(Profile& profile);

/// The value of a fact; empty when there is none.
std::string_view FactOf(const Profile& profile, std::string_view key);

// Invariants of every Profile that ProfileBuilder::Finish() returns.

/// No moment is further from 0 than this, so that sums of some are numbers, too.
inline constexpr Ns kFarthestTime = Ns{1} << 61;

/// Columns are equally long, rows are in the documented order, ids are in range, no time is before
/// the profile's start, no duration is negative. Errors: kInternal with the first broken invariant.
/// Called at the end of Finish(). O(rows).
Status CheckInvariants(const Profile& profile);

// Names that a file should have and has not.

/// The name of a kernel without a name in the file: this, with a number if it has one, "(unnamed
/// kernel 17)".
inline constexpr std::string_view kUnnamedKernel = "(unnamed kernel)";

/// Whether a kernel's name was not recorded, so that its purpose is unknown.
inline bool IsLostName(std::string_view name) {
  constexpr std::string_view kBegin = "(unnamed kernel";
  return name.empty() || name.starts_with(kBegin);
}

// The error of a profile that is not as model/tables.h says.

/// kInternal, "model/invariant": a defect of a reader or of ProfileBuilder, not of the file.
/// `table`: "host", "api" and so on.
Error BrokenTable(const Profile& profile, std::string_view table);

}  // namespace profgauge
