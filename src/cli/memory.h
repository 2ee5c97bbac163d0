// The program's memory limit, and the message when it is not enough.
#pragma once

#include <cstdint>
#include <optional>

#include "profgauge/error.h"

namespace profgauge::cli {

/// Memory limit of a run in bytes: the user's, else three quarters of the memory of the machine, or
/// of the control group of the job, whichever is less.
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

/// Notes how much memory is in use whenever an allocation fails, for OutOfMemory(). Call it once,
/// at the start.
void WatchMemory();

// Memory in large pages that is never returned: in a run over a large profile half of the
// time went into mapping its memory page by page, and mapping returned memory again.

/// If an argument names a large file, a folder or standard input: starts this program anew, in the
/// same process, with an environment that makes the C library allocate so. It reads that only from
/// its environment, and only when a program starts. Returns where this is not possible, for small
/// inputs, whose memory is only kept, where memory is limited (`--max-memory`), and where
/// GLIBC_TUNABLES is set, as it is the second time. REQUIRES: nothing was done yet. `arguments`
/// ends with a null pointer, as main's does.
void StartWithLargePages(char** arguments);

}  // namespace profgauge::cli
