// Kernels of one stream that run at the same time, which shows that their times are
// wrong: coarse, in another unit, or of several profiles in one file.
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Counts the kernels that begin before an earlier one on their stream has ended, if the time
/// they share is over a tenth of the time that a GPU's kernels cover; idle time and the length of
/// iterations are unknown then. Kernels of one launch (a graph's branches) and of several
/// processes may run concurrently, as may, on GPUs that start a kernel early, one that ends
/// after the one before it. `correlations` are numbers of launches by row, -1 none.
/// REQUIRES: the device's rows are sorted and linked to their calls.
void CountOverlaps(Profile& profile, const NarrowColumn<std::int64_t>& correlations);

}  // namespace profgauge
