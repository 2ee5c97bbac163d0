// What one iteration asks of the GPU: launching calls, Tensor Core kernels, bytes copied. For the
// same program these are the same in every run, so that any change is news.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Sets launch.count_per_iteration, tensor_core.kernels_per_iteration and
/// memcpy.{h2d,d2h,d2d}.bytes_per_iteration: sums over what the selected iterations launched, per
/// iteration, mean over ranks.
void AddCounts(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
