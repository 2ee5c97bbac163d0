// The numbers that decide in the gate, with unit and evidence. "Grid" is the table of
// src/gate/README.md, which tests/bench/gate_simulation.cc makes.
#pragma once

#include <cstddef>

namespace profgauge::stats {

// ---- The typical iteration (change.cc, estimate.cc) ----

/// Standard deviations of iterations assumed, in noise floors, with the weight of so many values.
inline constexpr double kAssumedSpread = 2;
inline constexpr double kAssumedWeight = 4;
/// The same of a run with a single iteration, which says nothing of its spread.
inline constexpr double kSingleSpread = 10;
/// The noise floor where the policy has none: equal runs on one machine differ by half to one per
/// cent.
inline constexpr double kUsualNoiseFloor = 0.01;
/// Weight of the noise floor among the runs, and the degrees of freedom it counts for.
inline constexpr double kFloorWeight = 3;
inline constexpr double kFloorDegrees = 7;
/// One-sided: the interval holds the change with 98 %.
inline constexpr double kSure = 0.99;
/// A change is large at so many limits and run noises, if so many of the iterations show it.
inline constexpr double kLargeLimits = 1.5;
inline constexpr double kLargeNoises = 4;
inline constexpr double kMostIterations = 0.9;
inline constexpr double kManyIterations = 0.8;
inline constexpr std::size_t kLeastBySize = 3;
/// Share of the variance within runs that the medians of runs show.
inline constexpr double kMedianVariance = 0.65;
/// Later and earlier half of a run differ by noise of runs beyond so many variances of a change:
/// twice what iterations alone make of it. Throttling (grid, n 50, K 1): false fails 8.0 % without,
/// 3.5 % with; with 1.0 instead, +20 % is found in 36 of 100 instead of 58.
inline constexpr double kDriftNoise = 6.6;
inline constexpr std::size_t kLeastForDrift = 8;
/// From so many iterations on the error of a median comes from batches of signs, which no
/// autocorrelation misleads (coverage 95 to 98 % at rho 0.8 instead of 88).
inline constexpr std::size_t kLeastForBatches = 200;
/// Limits beyond which a change is far: an interval that reaches it is no pass, a total over it
/// neither. A limit of 5 % leaves a verdict undecided from +15 % on, below the +20 % that must
/// never pass.
inline constexpr double kFarLimits = 3;

// ---- The total (total.cc) ----

/// So improbable a total fails, and up to so probable a one is undecided. False fails by the total
/// are at most 0.5 % of each noise of the grid.
inline constexpr double kFailChance = 0.003;
inline constexpr double kOpenChance = 0.05;
/// Draws: p = 0.003 is known to ± 0.0009.
inline constexpr std::size_t kDraws = 4000;
/// In the second statistic an iteration takes at most twice the typical time: a stall of any size
/// in the baseline counts as one.
inline constexpr double kMostExcess = 1;
/// Longer runs change sides in blocks, so many a run: the draws stay within 20 ms.
inline constexpr std::size_t kLongRun = 400;
inline constexpr std::size_t kBlocksOfLongRun = 200;
/// Autocorrelation of the excesses is taken as no larger, and counts beyond two standard errors.
inline constexpr double kLargestBlockCorrelation = 0.8;
inline constexpr double kCorrelationErrors = 2;
/// Shorter runs do not show their own spread: the error of the typical iteration, which assumes
/// one, stands for it.
inline constexpr std::size_t kLeastForSpread = 5;
/// Variance of a median in variances of a mean of normal values, pi / 2.
inline constexpr double kMedianOfNormal = 1.57;
/// The normal quantile of kSure.
inline constexpr double kSureNormal = 2.3263;

// ---- Pairs (pairs.cc) ----

/// Noise of a run beside its neighbour, in noise floors: what moves a machine over hours is not
/// between the two. Table of pairs in src/gate/README.md.
inline constexpr double kPairedFloor = 0.5;

// ---- Ended early (compare) ----

/// A candidate with a smaller share of the baseline's fewest iterations is undecided, and one below
/// the second share is noted: of the runs that broke off after 2 or 3 of 20 all passed before.
inline constexpr double kEndedEarly = 0.5;
inline constexpr double kFewerIterations = 0.8;

// ---- What a baseline sees (estimate.cc) ----

/// The smallest change that nine of ten comparisons fail, in errors over the limit and over the
/// quantile; 80 to 100 % in 27 simulated cells, median 91 %.
inline constexpr double kSeenOverLimit = 1.5;
inline constexpr double kSeenOverQuantile = 1.3;

}  // namespace profgauge::stats
