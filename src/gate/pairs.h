// Runs of two programs recorded alternately on one machine, A B B A A B: an effect on both runs of
// a pair, a warm machine or a busy neighbor, drops out of their difference.
//
// src/gate/README.md compares its power with that of the same runs without pairs.
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
