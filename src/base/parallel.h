// Independent pieces of work, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace profgauge {

/// Maximum number of threads; at least 1. As many as the machine and the process' control groups
/// have cores, unless LimitThreads() said otherwise.
std::size_t Cores();

/// Data that several threads write for long is this far apart, as `alignas` of a type: threads that
/// write to one line of the cache, or to two that are fetched as a pair, wait for each other.
inline constexpr std::size_t kCacheLinePair = 128;

/// From now on at most this many threads run in the whole process; 0: one per core.
void LimitThreads(std::size_t most);

/// From now on all threads have one heap (cli/memory.h): they wait for each other there.
void ShareOneHeap();
/// Number of threads for work that mostly needs memory, as `most` of ForEachAtOnce(): one, where
/// two would take longer together.
std::size_t ThreadsForAllocation();

/// Calls `work(i)` once for each i below `count`, on as many threads as Cores() and `most` allow
/// (0: no other limit) and calls that are under way leave, this one's among them; returns when all
/// calls have. Calls must not write to shared data, so that the result does not depend on the
/// number of threads. If several calls throw, the exception of the lowest i is thrown; if there is
/// no thread, fewer do the work.
/// Calls may nest: the threads of all calls together stay within the limit, so an inner call
/// mostly runs on its caller's thread. A failing call does not stop the others.
void ForEachAtOnce(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t most = 0);

// Limits of this process' control groups: containers, Slurm and Kubernetes limit jobs by
// them, and the machine's own size says nothing there.

struct CgroupLimits {
  std::optional<std::uint64_t> memory;  ///< Bytes.
  std::optional<double> cores;          ///< Processor time: 2.5 cores.
};

/// The smallest limits of the groups that the process is in and of those around them, of either
/// version (cgroups(7)); none where nothing limits, and outside of Linux. `root`: where /proc and
/// /sys are, for tests.
/// Reads a few small files at each call: keep the result.
CgroupLimits ReadCgroupLimits(const std::string& root = "");

}  // namespace profgauge
