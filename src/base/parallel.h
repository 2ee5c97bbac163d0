// Independent pieces of work, side by side.
#pragma once

#include <cstddef>
#include <functional>

namespace profgauge {

/// Threads that run at once; at least 1.
std::size_t Cores();

/// Calls `work(i)` once for each i below `count`, on as many threads as there are cores and `most`
/// allows (0: no limit); returns when all calls have. What the calls write must not be shared, so
/// that the result does not depend on the number of threads. Of exceptions the one of the lowest i
/// is thrown; where no thread can be had, fewer do the work.
void ForEachAtOnce(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t most = 0);

}  // namespace profgauge
