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

/// Returns the rank's slowdown relative to the median of `others` (positions in the run), over the
/// kernels that all of them launch equally often; 1 without such kernels.
double SlowdownAmong(std::span<const RankFacts> ranks, std::size_t rank,
                     std::span<const std::size_t> others);

/// Returns, for each rank, how much longer its kernels take than the median rank's (1: equally
/// long); none if no kernels are comparable, i.e. launched equally often by at least three ranks
/// with equal input shapes (if all ranks recorded them). A few far slower kernels have more work,
/// so ratios are capped near the one that three quarters of the kernel time reach.
std::vector<std::optional<double>> KernelSlowdowns(std::span<const RankFacts> ranks);

}  // namespace profgauge::analysis::communication
