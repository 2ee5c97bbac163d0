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

/// The rank's slowdown relative to the median of `others` (positions in the run), over the kernels
/// that all of them launch equally often; 1 without such kernels.
double SlowdownAmong(std::span<const RankFacts> ranks, std::size_t rank,
                     std::span<const std::size_t> others);

/// By rank, how much longer its kernels take than those of the median rank; 1: equally long.
/// Compares kernels that at least three ranks launch equally often with equal input shapes (if all
/// ranks recorded them). Matrix kernels and other kernels each count with the slowdown that three
/// quarters of their time reaches: single slower kinds have more work. None without such kernels.
std::vector<std::optional<double>> KernelSlowdowns(std::span<const RankFacts> ranks);

}  // namespace profgauge::analysis::communication
