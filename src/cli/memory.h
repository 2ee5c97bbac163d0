// How much memory the program may use, and what it says when that is not enough.
#pragma once

#include <cstdint>
#include <optional>

#include "profgauge/error.h"

namespace profgauge::cli {

/// How many bytes a run should get along with: what the user allows, else three quarters of what
/// the machine has, or the control group of the job.
std::uint64_t MemoryToUse(std::optional<std::int64_t> allowed);

/// From here on allocations beyond `bytes` of data in all fail (std::bad_alloc), as the system's
/// own limits make them fail. Threads get smaller stacks, which count. Errors: kUsage when the
/// system does not have such a limit.
Status LimitMemory(std::int64_t bytes);

/// Takes such a limit away: what is left to do is to say why the run ended.
void LiftMemoryLimit();

/// Why a run ended for lack of memory: what it had and asked to exceed, and what was allowed.
/// REQUIRES: an allocation has failed; the memory of the run is free again.
Error OutOfMemory(std::optional<std::int64_t> allowed);

/// Notes how much memory is in use whenever an allocation fails. Call it once, at the start.
void WatchMemory();

}  // namespace profgauge::cli
