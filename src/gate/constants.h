// The constants with which the gate decides, as plain numbers. rules/knowledge/thresholds.yaml has
// their values and evidence. "Grid" is an earlier version of the table of noises in
// src/gate/README.md.
#pragma once

#include <cstddef>

#include "knowledge/gate.h"

namespace profgauge::gate::stats {

// ---- The typical iteration (change.cc, estimate.cc) ----

/// The spread assumed for iterations, in noise floors. It has the weight of kAssumedWeight values.
inline constexpr double kAssumedSpread = knowledge::kGateAssumedSpread.value();
inline constexpr double kAssumedWeight = knowledge::kGateAssumedWeight.value();
/// The spread assumed for a run with a single iteration, which shows none; in noise floors.
inline constexpr double kSingleSpread = knowledge::kGateSingleSpread.value();
/// The default noise floor: equal runs on one machine differ by 0.5 to 1 %.
inline constexpr double kUsualNoiseFloor = knowledge::kGateNoiseFloor.value();
/// The noise floor has the weight of this many runs, and this many degrees of freedom.
inline constexpr double kFloorWeight = knowledge::kGateFloorWeight.value();
inline constexpr double kFloorDegrees = knowledge::kGateFloorDegrees.value();
/// One-sided probability, so that an interval contains the true change with 98 %.
inline constexpr double kSure = knowledge::kGateSure.value();
/// A change is large if it has this many limits and noises, and this share of iterations shows it.
inline constexpr double kLargeLimits = knowledge::kGateLargeLimits.value();
inline constexpr double kLargeNoises = knowledge::kGateLargeNoises.value();
inline constexpr double kMostIterations = knowledge::kGateMostIterations.value();
inline constexpr double kManyIterations = knowledge::kGateManyIterations.value();
inline constexpr std::size_t kLeastBySize = knowledge::kGateLeastBySize.as<std::size_t>();
/// The variance of the medians of runs, as a share of the variance within runs.
inline constexpr double kMedianVariance = knowledge::kGateMedianVariance.value();
/// From this many iterations on, the error of a median is computed from batches of signs, which
/// include autocorrelation (coverage 95 to 98 % at rho 0.8 instead of 88).
inline constexpr std::size_t kLeastForBatches = knowledge::kGateLeastForBatches.as<std::size_t>();
/// By chance, the later half of a long run differs from the whole run by up to this many errors.
/// This error is known only from batches of signs.
inline constexpr double kLaterErrors = knowledge::kGateLaterErrors.value();
/// A change of this many limits is far. A pass must exclude it, for the interval and the total.
/// With a limit of 5 %, a change is undecided from +15 % on, below the +20 % that must never pass.
inline constexpr double kFarLimits = knowledge::kGateFarLimits.value();

/// A comparison is undecided if the estimate plus this many errors exceeds this many limits.
inline constexpr double kTooFewLimits = knowledge::kGateTooFewLimits.value();
inline constexpr double kTooFewErrors = knowledge::kGateTooFewErrors.value();

// ---- Recordings (repeat.cc) ----

/// The accepted chance that a machine's states cause a failure, and the most profiles asked for.
inline constexpr double kStateChance = knowledge::kGateStateChance.value();
inline constexpr std::size_t kMostRecordings = knowledge::kGateMostRecordings.as<std::size_t>();
/// The number of profiles asked for after a doubt, or after a failure only by the total.
inline constexpr std::size_t kRecordingsForDoubt =
    knowledge::kGateRecordingsForDoubt.as<std::size_t>();
/// A total beyond three limits fails immediately if this many groups of iterations are slow.
inline constexpr std::size_t kSlowStretches = knowledge::kGateSlowStretches.as<std::size_t>();
/// A slow iteration is over the limit and over this many spreads of the run.
inline constexpr double kStretchSpreads = knowledge::kGateStretchSpreads.value();

// ---- The total (total.cc) ----

/// With this many baseline runs or more, a start may cost the first factor times their longest
/// start, plus the second number. With fewer runs, it may cost the median of their starts.
inline constexpr std::size_t kStartsKnown = knowledge::kGateStartsKnown.as<std::size_t>();
inline constexpr double kStartTimes = knowledge::kGateStartTimes.value();
inline constexpr double kStartSlack = knowledge::kGateStartSlack.value();
/// A stall has at least this excess. Stalls are alike if one is at most kStallAlike times as long
/// as the other. Stalls are known if their number is likelier than kStallChance.
inline constexpr double kStallExcess = knowledge::kGateStallExcess.value();
inline constexpr double kStallAlike = knowledge::kGateStallAlike.value();
inline constexpr double kStallChance = knowledge::kGateStallChance.value();

/// A total fails if its probability is at most the first number, and is undecided up to the second.
/// False failures by the total are at most 0.5 % for each noise of the grid.
inline constexpr double kFailChance = knowledge::kGateFailChance.value();
inline constexpr double kOpenChance = knowledge::kGateOpenChance.value();
/// The number of random draws. With these, p = 0.003 is known to ± 0.0009.
inline constexpr std::size_t kDraws = knowledge::kGateDraws.as<std::size_t>();
/// In the clipped statistic, an iteration counts at most twice the typical time, so that stalls of
/// any size count alike.
inline constexpr double kMostExcess = knowledge::kGateMostExcess.value();
/// A run longer than this is drawn in this many blocks, so that draws take at most 20 ms.
inline constexpr std::size_t kLongRun = knowledge::kGateLongRun.as<std::size_t>();
inline constexpr std::size_t kBlocksOfLongRun = knowledge::kGateBlocksOfLongRun.as<std::size_t>();
/// Autocorrelation of excesses: its largest value, and how many standard errors it must have.
inline constexpr double kLargestBlockCorrelation = knowledge::kGateLargestBlockCorrelation.value();
inline constexpr double kCorrelationErrors = knowledge::kGateCorrelationErrors.value();
/// Runs shorter than this do not show their own spread. Then the error of the typical iteration,
/// which assumes a spread, is used.
inline constexpr std::size_t kLeastForSpread = knowledge::kGateLeastForSpread.as<std::size_t>();
/// The variance of a median, in variances of the mean of normal values: pi / 2.
inline constexpr double kMedianOfNormal = 1.57;
/// The normal quantile of kSure.
inline constexpr double kSureNormal = 2.3263;

// ---- Pairs (sides.cc) ----

/// The noise between the two runs of a pair, in noise floors. It is lower, because slow effects of
/// a machine affect both. See the table of pairs in src/gate/README.md.
inline constexpr double kPairedFloor = knowledge::kGatePairedFloor.value();
/// Nine of ten changes are detected if they are this many errors over the limit and over the
/// quantile: 80 to 100 % in 27 simulated cells, median 91 %.
inline constexpr double kPairsSeeOverLimit = knowledge::kGatePairsSeeOverLimit.value();
inline constexpr double kPairsSeeOverQuantile = knowledge::kGatePairsSeeOverQuantile.value();

// ---- Ended early (compare) ----

/// A candidate whose iterations are a smaller share of the baseline's fewest is undecided; below
/// the second share it is noted. Runs that broke off after 2 or 3 of 20 iterations used to pass.
inline constexpr double kEndedEarly = knowledge::kGateEndedEarly.value();
inline constexpr double kFewerIterations = 0.8;

// ---- Parts (parts.cc, compare.cc) ----

/// Parts are judged only with at least this many baseline runs.
inline constexpr std::size_t kPartRuns = knowledge::kGatePartRuns.as<std::size_t>();

// ---- Detectable changes of a baseline (estimate.cc) ----

/// For the detectable change (Estimate::Sees): the errors over the limit, and the spreads of the
/// runs over the slowest run, where a spread is at least kSeesLeast errors. With up to three runs:
/// the errors over three limits.
inline constexpr double kSeesErrors = knowledge::kGateSeesErrors.value();
inline constexpr double kSeesSpreads = knowledge::kGateSeesSpreads.value();
inline constexpr double kSeesLeast = knowledge::kGateSeesLeast.value();
inline constexpr double kSeesFarErrors = knowledge::kGateSeesFarErrors.value();
/// A remedy is named if it leaves at most this share of the uncertainty beyond the limit. Tried are
/// twice the runs (at least 7) and 2.5 times the iterations (at least 30).
inline constexpr double kMuchMore = 2.0 / 3;
inline constexpr std::size_t kEnoughRuns = knowledge::kGateEnoughRuns.as<std::size_t>();
inline constexpr std::size_t kEnoughIterations = 30;
inline constexpr double kMoreIterations = 2.5;

}  // namespace profgauge::gate::stats
