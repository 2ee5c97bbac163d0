// The runs of one side of a comparison: the part of each that counts, and excluded ones.
//
// This is where times become logarithms, and where the direction is settled: for a metric that
// should be large the sign is turned, so that an increase is bad everywhere from here to change.cc.
// Adding two of these changes multiplies the ratios.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gate/change.h"
#include "knowledge/gate.h"

namespace profgauge::gate::stats {

/// One run as it is compared: an increase is bad, and changes add up. Copied from the series, which
/// need not outlive it. `all` are all values, `steady` those after the warm-up, `later` the later
/// half of all (empty for fewer than 4 values); `level` is the median of `steady`.
struct Run {
  std::vector<double> values;  ///< Logarithms in order, all of them.
  std::size_t warmup = 0;
  std::vector<double> all, steady, later;  ///< Sorted.
  double level = 0;
  /// Times over the typical one, less 1, in order; 0 for those of the start. Only where less is
  /// better: else an excess would be none.
  std::vector<double> excess;
  double start = 0;  ///< What the start costs beyond typical iterations, as a share of the run.
  double mean = 0;   ///< Of `excess`.

  std::span<const double> Steady() const { return std::span(values).subspan(warmup); }
};

/// Runs of one side, and which of them count. `kept` points into `runs`: a Side is moved, never
/// copied. At least one run is kept: at most a third are odd, and warm-up excludes a run only where
/// two others have less.
struct Side {
  Side() = default;
  Side(Side&&) = default;
  Side& operator=(Side&&) = default;

  std::vector<Run> runs;
  std::vector<RunUse> uses;
  std::vector<const Run*> kept;
  double apart = 0;

  std::vector<double> Levels() const;  ///< For the runs kept.
};

/// The limit as it is judged.
struct Limits {
  double limit = 0;    ///< In the unit that adds up,
  double far = 0;      ///< three of them,
  double odd = 0;      ///< how far from the others a run is odd;
  double too_far = 0;  ///< and four, which a pass must exclude more surely than `far`.
  bool is_certain = false;
  bool keeps_all = false;  ///< Excludes no run: of pairs, whose runs show the machine's state.
};
/// `limit` (relative, not negative) as a logarithm, so that it adds up: of a growth where
/// `is_growth`, else of a loss: +5 % is 0.0488, -5 % is 0.0513. A loss of all or more, which no run
/// has, is very large (36).
double LogLimit(double limit, bool is_growth);

/// The limits in the terms of the estimate.
Limits MakeLimits(const CompareOptions& options);

/// Excludes unusual runs and those that never settled. `series` has one list of times per run, each
/// with its warm-up. O(n log n) for all values. REQUIRES: as Compare().
Side MakeSide(std::span<const Series> series, const CompareOptions& options, const Limits& limits);

/// The part of `side` that counts, in the unit of `series`, of which it was made.
SideUse UseOf(const Side& side, std::span<const Series> series);

/// Whether a step matters in absolute terms, by the medians or by the change judged; in the values'
/// unit. True for a floor of 0. REQUIRES: the levels and the shift of `comparison` are set.
bool IsBeyondFloor(const Comparison& comparison, double absolute_floor);

/// Iterations of the shortest run kept, with warm-up.
std::size_t ShortestOf(const Side& side);

/// How many iterations of `side` are slower than the base's typical one by more than `limit`,
/// without warm-up, over all runs kept.
std::size_t CountSlower(const Side& base, const Side& side, double limit);

// A paired comparison: the runs of a pair are neighbors in time.
//
//     time       1    2    3    4    5    6
//     run        A    B    B    A    A    B            A B and B A alternate, so that a drift
//     pairs      `-b1-'    `-b2-'    `-b3-'            is no change of B
//
// Runs of two programs recorded alternately on one machine, A B B A A B: an effect on both runs of
// a pair, a warm machine or a busy neighbor, drops out of their difference.
//
// src/gate/README.md compares its power with that of the same runs without pairs.

/// Fewer pairs do not show how much pairs differ.
inline constexpr std::size_t kLeastPairs = knowledge::kGateLeastPairs.as<std::size_t>();

/// Compares the candidate of each pair with its baseline. The change is the mean of the pairs'
/// typical changes, its error comes of their spread (a paired t-test, Gosset 1908) with half a
/// noise floor a run assumed; the total is judged of times that are relative to the pair's
/// baseline. Every run counts in both, odd or half warm-up: without its partner a run would be
/// compared with those of another hour. Where the pairs are inconclusive the answer names the
/// number of pairs that would decide. REQUIRES: as Compare(); as many of each, kLeastPairs at
/// least, in the order of the pairs.
Comparison ComparePairs(std::span<const Series> baselines, std::span<const Series> candidates,
                        const CompareOptions& options, const TotalSeries& totals = {});

}  // namespace profgauge::gate::stats
