// Independent pieces of work, side by side.
#pragma once

#include <cstddef>
#include <functional>

namespace profgauge {

/// Threads that run at once; at least 1. As many as the machine and the process' control groups
/// have cores, unless LimitThreads() said otherwise.
std::size_t Cores();

/// What several threads write to for long is this far apart, as `alignas` of a type: threads that
/// write to one line of the cache, or to two that are fetched as a pair, wait for each other.
inline constexpr std::size_t kCacheLinePair = 128;

/// From now on at most so many threads run at once, in the whole process; 0: one per core.
void LimitThreads(std::size_t most);

/// From now on all threads have one heap (cli/large_pages.h): they wait for each other there.
void ShareOneHeap();
/// How many threads are to do what mostly asks for memory, as `most` of ForEachAtOnce(): one, where
/// two would take longer together.
std::size_t ThreadsForAllocation();

/// Calls `work(i)` once for each i below `count`, on as many threads as Cores() and `most` allow
/// (0: no other limit) and calls that are under way leave, this one's among them; returns when all
/// calls have. What the calls write must not be shared, so that the result does not depend on the
/// number of threads. Of exceptions the one of the lowest i is thrown; where no thread can be had,
/// fewer do the work.
void ForEachAtOnce(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t most = 0);

}  // namespace profgauge
