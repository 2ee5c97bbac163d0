// Runs independent pieces of work in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace profgauge {

/// Maximum number of threads, at least 1: the number of cores of the machine and the process's
/// control groups, unless LimitThreads() changed it.
std::size_t Cores();

/// Alignment of data that several threads write for a long time: threads that write to the same
/// cache line, or to two lines that are fetched as a pair, wait for each other.
inline constexpr std::size_t kCacheLinePair = 128;

/// Limits the threads of the whole process; 0: one per core.
void LimitThreads(std::size_t most);

/// Notes that all threads share one heap (cli/memory.h), where they wait for each other.
void ShareOneHeap();
/// The `most` of ForEachAtOnce() for work that mostly allocates memory: 1 after ShareOneHeap(),
/// because two threads would take longer together, else 0.
std::size_t ThreadsForAllocation();

/// Calls `work(i)` once for each i below `count` and returns after all calls. It uses as many
/// threads as Cores(), `most` (0: no limit) and other running calls allow, including this thread;
/// at least this one. Calls may nest: the threads of all calls together stay within the limit, so
/// an inner call mostly runs on its caller's thread. Calls must not write to shared data, so that
/// the result does not depend on the number of threads. If several calls throw, the exception of
/// the lowest i is rethrown; a failing call does not stop the others.
void ForEachAtOnce(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t most = 0);

// Limits of the process's control groups, by which containers, Slurm and Kubernetes limit jobs; the
// machine's own size does not matter there.

struct CgroupLimits {
  std::optional<std::uint64_t> memory;  ///< In bytes.
  std::optional<double> cores;          ///< Processor time, e.g. 2.5 cores.
};

/// Returns the smallest limits of the process's groups and their parents, of either version
/// (cgroups(7)); none if nothing is limited, and on systems other than Linux. `root`: the parent of
/// /proc and /sys, for tests. Reads a few small files per call, so callers keep the result.
CgroupLimits ReadCgroupLimits(const std::string& root = "");

}  // namespace profgauge
