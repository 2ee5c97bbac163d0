// Experts that are computed one by one: matmuls of equal weights' sizes and different rows, side by
// side in one call of a module. Their rows differ because tokens are shared out among them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/device/roofline.h"

namespace profgauge {

/// Sets WorkPoint::single_experts of those points. `point_of`: by row of the host table, kNoIndex
/// where it has none. Nothing is found where calls of modules were not recorded.
void FindSingleExperts(const RankContext& rank, std::span<const std::uint32_t> point_of,
                       std::vector<WorkPoint>& points);

}  // namespace profgauge
