// The presets that are enforced when no one names a policy.
#pragma once

#include <span>
#include <string_view>

#include "model/profile.h"

namespace profgauge {

/// Enforced when no one names a policy.
inline constexpr std::string_view kDefaultPolicy = "builtin:recommended";
inline constexpr std::string_view kCpuPolicy = "builtin:cpu";

/// Whether the run is of a program that used no GPU, as far as its profiles can say: operators,
/// but no device event, no call of a GPU runtime, no memory on a device, no listed device, and no
/// events of kinds that no one here knows.
bool IsCpuOnly(std::span<const Profile> ranks);

/// The same except for listed devices: the program may not have used the machine's.
bool MayBeCpuOnly(std::span<const Profile> ranks);

/// What to do then, for the report.
inline constexpr std::string_view kHowToJudgeCpu =
    "no device activity was recorded, though the machine has a device; if the program is meant to "
    "run on the CPU, judge it with --policy builtin:cpu";

/// Why kCpuPolicy is enforced, for the report.
inline constexpr std::string_view kWhyCpuPolicy =
    "builtin:cpu is the policy because the profile has no device work, no calls of a GPU runtime "
    "and no device; --policy selects another";

}  // namespace profgauge
