// The numbers that decide in the gate as plain ones; rules/knowledge/thresholds.yaml has the values
// and their evidence. "Grid" is the table of src/gate/README.md, which
// tests/bench/gate_simulation.cc makes.
#pragma once

#include <cstddef>

#include "knowledge/gate.h"

namespace profgauge::gate::stats {

// ---- The typical iteration (change.cc, estimate.cc) ----

/// Standard deviations of iterations assumed, in noise floors, with the weight of this many values.
inline constexpr double kAssumedSpread = knowledge::kGateAssumedSpread.value();
inline constexpr double kAssumedWeight = knowledge::kGateAssumedWeight.value();
/// The same of a run with a single iteration, which says nothing of its spread.
inline constexpr double kSingleSpread = knowledge::kGateSingleSpread.value();
/// The noise floor where the policy has none: equal runs on one machine differ by half to one per
/// cent.
inline constexpr double kUsualNoiseFloor = knowledge::kGateNoiseFloor.value();
/// Weight of the noise floor among the runs, and the degrees of freedom it counts for.
inline constexpr double kFloorWeight = knowledge::kGateFloorWeight.value();
inline constexpr double kFloorDegrees = knowledge::kGateFloorDegrees.value();
/// One-sided: the interval holds the change with 98 %.
inline constexpr double kSure = knowledge::kGateSure.value();
/// A change is large at this many limits and run noises, if this many of the iterations show it.
inline constexpr double kLargeLimits = knowledge::kGateLargeLimits.value();
inline constexpr double kLargeNoises = knowledge::kGateLargeNoises.value();
inline constexpr double kMostIterations = knowledge::kGateMostIterations.value();
inline constexpr double kManyIterations = knowledge::kGateManyIterations.value();
inline constexpr std::size_t kLeastBySize = knowledge::kGateLeastBySize.as<std::size_t>();
/// Share of the variance within runs that the medians of runs show.
inline constexpr double kMedianVariance = knowledge::kGateMedianVariance.value();
/// Later and earlier half of a run differ by noise of runs beyond this many variances of a change:
/// twice the error of the iterations. Throttling (grid, n 50, K 1): false fails 8.0 % without,
/// 3.5 % with; with 1.0 instead, +20 % is found in 36 of 100 instead of 58.
inline constexpr double kDriftNoise = knowledge::kGateDriftNoise.value();
inline constexpr std::size_t kLeastForDrift = knowledge::kGateLeastForDrift.as<std::size_t>();
/// From this many iterations on the error of a median comes from batches of signs, which no
/// autocorrelation misleads (coverage 95 to 98 % at rho 0.8 instead of 88).
inline constexpr std::size_t kLeastForBatches = knowledge::kGateLeastForBatches.as<std::size_t>();
/// The later half of a long run varies about the whole as the whole does about the truth, so that
/// up to this many errors are chance. Batches know the error.
inline constexpr double kLaterErrors = knowledge::kGateLaterErrors.value();
/// Limits beyond which a change is far: an interval that reaches it is no pass, a total over it
/// neither. A limit of 5 % leaves a verdict undecided from +15 % on, below the +20 % that must
/// never pass.
inline constexpr double kFarLimits = knowledge::kGateFarLimits.value();

// ---- The total (total.cc) ----

/// So improbable a total fails, and up to so probable a one is undecided. False fails by the total
/// are at most 0.5 % of each noise of the grid.
inline constexpr double kFailChance = knowledge::kGateFailChance.value();
inline constexpr double kOpenChance = knowledge::kGateOpenChance.value();
/// Draws: p = 0.003 is known to ± 0.0009.
inline constexpr std::size_t kDraws = knowledge::kGateDraws.as<std::size_t>();
/// In the second statistic an iteration takes at most twice the typical time: a stall of any size
/// in the baseline counts as one.
inline constexpr double kMostExcess = knowledge::kGateMostExcess.value();
/// Longer runs change sides in blocks, this many a run: the draws stay within 20 ms.
inline constexpr std::size_t kLongRun = knowledge::kGateLongRun.as<std::size_t>();
inline constexpr std::size_t kBlocksOfLongRun = knowledge::kGateBlocksOfLongRun.as<std::size_t>();
/// Autocorrelation of the excesses is taken as no larger, and counts beyond two standard errors.
inline constexpr double kLargestBlockCorrelation = knowledge::kGateLargestBlockCorrelation.value();
inline constexpr double kCorrelationErrors = knowledge::kGateCorrelationErrors.value();
/// Shorter runs do not show their own spread: the error of the typical iteration, which assumes
/// one, represents it.
inline constexpr std::size_t kLeastForSpread = knowledge::kGateLeastForSpread.as<std::size_t>();
/// Variance of a median in variances of a mean of normal values, pi / 2.
inline constexpr double kMedianOfNormal = 1.57;
/// The normal quantile of kSure.
inline constexpr double kSureNormal = 2.3263;

// ---- Pairs (sides.cc) ----

/// Noise of a run beside its neighbor, in noise floors: slow effects on a machine do not differ
/// between the two. Table of pairs in src/gate/README.md.
inline constexpr double kPairedFloor = knowledge::kGatePairedFloor.value();

// ---- Ended early (compare) ----

/// A candidate with a smaller share of the baseline's fewest iterations is undecided, and one below
/// the second share is noted: of the runs that broke off after 2 or 3 of 20 all passed before.
inline constexpr double kEndedEarly = knowledge::kGateEndedEarly.value();
inline constexpr double kFewerIterations = knowledge::kGateFewerIterations.value();

// ---- Detectable changes of a baseline (estimate.cc) ----

/// The smallest change that nine of ten comparisons fail, in errors over the limit and over the
/// quantile; 80 to 100 % in 27 simulated cells, median 91 %.
inline constexpr double kSeenOverLimit = knowledge::kGateSeenOverLimit.value();
inline constexpr double kSeenOverQuantile = knowledge::kGateSeenOverQuantile.value();
/// A remedy is named if it removes a third of the uncertainty beyond the limit: twice the runs, at
/// least 3, or two and a half times the iterations, at least 30.
inline constexpr double kMuchMore = knowledge::kGateMuchMore.value();
inline constexpr std::size_t kEnoughRuns = knowledge::kGateEnoughRuns.as<std::size_t>();
inline constexpr std::size_t kEnoughIterations = knowledge::kGateEnoughIterations.as<std::size_t>();
inline constexpr double kMoreIterations = knowledge::kGateMoreIterations.value();

}  // namespace profgauge::gate::stats
