// Runs of two programs recorded in turn on one machine, A B B A A B: what moves both runs of a pair
// alike, a warm machine or a busy neighbor, drops out of their difference.
//
// src/gate/README.md has what it finds beside the same runs compared without pairs.
#pragma once

#include <cstddef>
#include <span>

#include "gate/change.h"
#include "knowledge/gate.h"

namespace profgauge::stats {

/// Fewer pairs do not show how much pairs differ.
inline constexpr std::size_t kLeastPairs = knowledge::kGateLeastPairs.as<std::size_t>();

/// Compares the candidate of each pair with its baseline. The change is the mean of the pairs'
/// typical changes; the total is judged of times that are relative to the pair's baseline.
/// REQUIRES: as Compare(); as many of each, kLeastPairs at least, in the order of the pairs.
Comparison ComparePairs(std::span<const Series> baselines, std::span<const Series> candidates,
                        const CompareOptions& options, const TotalSeries& totals = {});

}  // namespace profgauge::stats
