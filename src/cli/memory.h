// The program's memory limit, and the error if it is not enough.
#pragma once

#include <cstdint>
#include <optional>

#include "profgauge/error.h"

namespace profgauge::cli {

/// The memory limit of a run in bytes: the user's, else three quarters of the memory of the machine
/// or of the job's control group, whichever is smaller.
std::uint64_t MemoryToUse(std::optional<std::int64_t> allowed);

/// Sets a limit: from now on, allocations beyond a total of `bytes` of data fail (std::bad_alloc),
/// as with the system's own limits. Threads get smaller stacks, because stacks count. Errors:
/// kUsage if the system does not support such a limit.
Status LimitMemory(std::int64_t bytes);

/// Removes the limit, so that the reason why the run ended can be reported.
void LiftMemoryLimit();

/// The error for a run that ran out of memory: its memory, the failed request, and the limit.
/// REQUIRES: an allocation has failed; the memory of the run was freed.
Error OutOfMemory(std::optional<std::int64_t> allowed);

/// Starts to note the memory in use whenever an allocation fails, for OutOfMemory(). Call it once,
/// at the start.
void WatchMemory();

// Keeps memory in large pages and never returns it. Without this, a run over a large profile spent
// half of its time mapping memory page by page, and mapping returned memory again.

/// If an argument names a large file, a folder or standard input, starts this program again in the
/// same process, with an environment that makes the C library allocate large pages. The C library
/// reads these settings only when a program starts. Returns if that is impossible, for small inputs
/// (then it only keeps memory), if memory is limited (`--max-memory`), and if GLIBC_TUNABLES is
/// set, as it is the second time. REQUIRES: nothing was done yet. `arguments` ends with a null
/// pointer, as main's does.
void StartWithLargePages(char** arguments);

}  // namespace profgauge::cli
