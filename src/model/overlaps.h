// Kernels of one stream that run at the same time, which says that their times are not what they
// seem: coarse, in another unit, or of several profiles in one file.
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Counts the kernels that begin before one ahead of them on their stream has ended, where what
/// they share is over a tenth of the time that a GPU's kernels cover; idle time and the length of
/// iterations are unknown then. Kernels of one launch (a graph's branches) and of several
/// processes may run at once, as may, on GPUs that start a kernel ahead of its turn, one that ends
/// after the one before it. `correlations` are numbers of launches by row, -1 none.
/// REQUIRES: the device's rows are sorted and linked to their calls.
void CountOverlaps(Profile& profile, const NarrowColumn<std::int64_t>& correlations);

}  // namespace profgauge
