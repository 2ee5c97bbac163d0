// The preset that is enforced when the command line names no policy and no GPU was used.
#pragma once

#include <span>
#include <string_view>

#include "cli/candidates.h"

namespace profgauge::cli {

inline constexpr std::string_view kCpuPolicy = "builtin:cpu";

/// Whether all runs are of programs that used no GPU, as far as their recordings can say:
/// operators, but no device event, no call of a GPU runtime, no memory on a device, no listed
/// device, and no events of kinds that nobody here knows.
bool IsCpuOnly(std::span<const Candidate> candidates);

/// Why kCpuPolicy is enforced, for the report.
inline constexpr std::string_view kWhyCpuPolicy =
    "builtin:cpu is enforced, because the recording has no work on a device, no call of a GPU "
    "runtime and lists no device; name another policy with --policy";

}  // namespace profgauge::cli
