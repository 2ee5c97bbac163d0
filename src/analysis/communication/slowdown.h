#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge::analysis::communication {

/// The rank's slowdown against the median of `others` (positions in the run), over the kernels that
/// all of them launch equally often; 1 when there are none.
double SlowdownAmong(std::span<const RankFacts> ranks, std::size_t rank,
                     std::span<const std::size_t> others);

/// How much longer the kernels of each rank take than the median rank's, over those that at least
/// three ranks launch equally often with inputs of equal shapes (where all ranks recorded these): 1
/// as long. Kernels that multiply matrices and the others count as slower as far as three quarters
/// of their time is: kinds that are slower than that have more to do. Nothing where there are none.
std::vector<std::optional<double>> KernelSlowdowns(std::span<const RankFacts> ranks);

}  // namespace profgauge::analysis::communication
