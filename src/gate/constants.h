// The numbers that decide in the gate as plain ones; rules/knowledge/thresholds.yaml has the values
// and their evidence. "Grid" is the table of src/gate/README.md, which
// an earlier version of it had.
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

/// A comparison that could miss this many limits, at this many errors from the estimate, decides
/// nothing.
inline constexpr double kTooFewLimits = knowledge::kGateTooFewLimits.value();
inline constexpr double kTooFewErrors = knowledge::kGateTooFewErrors.value();

// ---- Recordings (repeat.cc) ----

/// The chance of a machine's states that a failure may have, and the recordings asked for at most.
inline constexpr double kStateChance = knowledge::kGateStateChance.value();
inline constexpr std::size_t kMostRecordings = knowledge::kGateMostRecordings.as<std::size_t>();
/// Of a doubt, or of a failure by the total alone, at least these are asked for.
inline constexpr std::size_t kRecordingsForDoubt =
    knowledge::kGateRecordingsForDoubt.as<std::size_t>();
/// A total beyond three limits fails at once if this many stretches of iterations are slow.
inline constexpr std::size_t kSlowStretches = knowledge::kGateSlowStretches.as<std::size_t>();
/// Slow is over the limit and this many spreads of the run.
inline constexpr double kStretchSpreads = knowledge::kGateStretchSpreads.value();

// ---- The total (total.cc) ----

/// From this many baseline runs on a start may cost as much as theirs, times the first plus the
/// second; before, as much as the median.
inline constexpr std::size_t kStartsKnown = knowledge::kGateStartsKnown.as<std::size_t>();
inline constexpr double kStartTimes = knowledge::kGateStartTimes.value();
inline constexpr double kStartSlack = knowledge::kGateStartSlack.value();
/// Stalls have at least this excess; they are as long as another that is this much shorter; and
/// they are known where so many of them are that probable.
inline constexpr double kStallExcess = knowledge::kGateStallExcess.value();
inline constexpr double kStallAlike = knowledge::kGateStallAlike.value();
inline constexpr double kStallChance = knowledge::kGateStallChance.value();

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
/// The smallest change that nine of ten such comparisons fail, in errors over the limit and over
/// the quantile; 80 to 100 % in 27 simulated cells, median 91 %.
inline constexpr double kPairsSeeOverLimit = knowledge::kGatePairsSeeOverLimit.value();
inline constexpr double kPairsSeeOverQuantile = knowledge::kGatePairsSeeOverQuantile.value();

// ---- Ended early (compare) ----

/// A candidate with a smaller share of the baseline's fewest iterations is undecided, and one below
/// the second share is noted: of the runs that broke off after 2 or 3 of 20 all passed before.
inline constexpr double kEndedEarly = knowledge::kGateEndedEarly.value();
inline constexpr double kFewerIterations = knowledge::kGateFewerIterations.value();

// ---- Parts (parts.cc, compare.cc) ----

/// Fewer baseline runs judge no part.
inline constexpr std::size_t kPartRuns = knowledge::kGatePartRuns.as<std::size_t>();

// ---- Detectable changes of a baseline (estimate.cc) ----

/// The smallest change that nine of ten comparisons fail in the end (Estimate::Sees): in errors
/// over the limit, in spreads of the runs over the slowest one, which are at least this part of the
/// error; and of three runs, in errors over three limits.
inline constexpr double kSeesErrors = knowledge::kGateSeesErrors.value();
inline constexpr double kSeesSpreads = knowledge::kGateSeesSpreads.value();
inline constexpr double kSeesLeast = knowledge::kGateSeesLeast.value();
inline constexpr double kSeesFarErrors = knowledge::kGateSeesFarErrors.value();
/// A remedy is named if it removes a third of the uncertainty beyond the limit: twice the runs, at
/// least 7, or two and a half times the iterations, at least 30.
inline constexpr double kMuchMore = knowledge::kGateMuchMore.value();
inline constexpr std::size_t kEnoughRuns = knowledge::kGateEnoughRuns.as<std::size_t>();
inline constexpr std::size_t kEnoughIterations = knowledge::kGateEnoughIterations.as<std::size_t>();
inline constexpr double kMoreIterations = knowledge::kGateMoreIterations.value();

}  // namespace profgauge::gate::stats
