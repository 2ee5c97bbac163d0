// Memory in large pages that is never returned: in a run over a large profile half of the
// time went into mapping its memory page by page, and mapping returned memory again.
#pragma once

namespace profgauge::cli {

/// If an argument names a large file, a folder or standard input: starts this program anew, in the
/// same process, with an environment that makes the C library allocate so. It reads that only from
/// its environment, and only when a program starts. Returns where this is not possible, for small
/// inputs, whose memory is only kept, where memory is limited (`--max-memory`), and where
/// GLIBC_TUNABLES is set, as it is the second time. REQUIRES: nothing was done yet. `arguments`
/// ends with a null pointer, as main's does.
void StartWithLargePages(char** arguments);

}  // namespace profgauge::cli
