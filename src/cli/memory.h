// The program's memory limit, and the message when it is not enough.
#pragma once

#include <cstdint>
#include <optional>

#include "profgauge/error.h"

namespace profgauge::cli {

/// Memory limit of a run in bytes: the user's, else three quarters of the memory of
/// the machine, or of the control group of the job.
std::uint64_t MemoryToUse(std::optional<std::int64_t> allowed);

/// From here on allocations beyond `bytes` of data in all fail (std::bad_alloc), as the system's
/// own limits make them fail. Threads get smaller stacks, which count. Errors: kUsage when the
/// system does not have such a limit.
Status LimitMemory(std::int64_t bytes);

/// Removes such a limit: the remaining work is to report why the run ended.
void LiftMemoryLimit();

/// Why a run ended without enough memory: its memory, the failed request, and the limit. REQUIRES:
/// an allocation has failed; the memory of the run is free again.
Error OutOfMemory(std::optional<std::int64_t> allowed);

/// Notes how much memory is in use whenever an allocation fails. Call it once, at the start.
void WatchMemory();

}  // namespace profgauge::cli
