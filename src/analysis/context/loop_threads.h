// The threads whose waiting for input data is the iterations' waiting.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge {

/// By row of the profile's threads: whether it has the markers of iterations or launches kernels,
/// at least a twentieth of the busiest thread's launches. A thread that only fetches data ahead
/// delays no rank, even if it normalizes batches with a kernel or two. All of them, where no
/// thread is known for either.
std::vector<bool> FindLoopThreads(const Profile& profile);

}  // namespace profgauge
