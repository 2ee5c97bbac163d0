// The runs of one side of a comparison: the part of each run that counts, and excluded runs.
//
// Times become logarithms here. For a metric that should be large, the sign is reversed, so that an
// increase is bad from here to change.cc. The sum of two such changes is the product of their
// ratios.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gate/change.h"
#include "knowledge/gate.h"

namespace profgauge::gate::stats {

/// One run in a comparison, as logarithms: an increase is bad, and changes add up. It copies the
/// series. `all` has all values, `steady` those after the warm-up, `later` the later half of all
/// (empty for fewer than 4 values); `level` is the median of `steady`.
struct Run {
  std::vector<double> values;  ///< Logarithms of all values, in order.
  std::size_t warmup = 0;
  std::vector<double> all, steady, later;  ///< Sorted.
  double level = 0;
  /// Times relative to the typical one, minus 1, in order; 0 for the start. Empty if more is
  /// better, because nothing is excessive then.
  std::vector<double> excess;
  double start = 0;  ///< Cost of the start beyond typical iterations, as a share of the run.
  double mean = 0;   ///< Mean of `excess`.

  std::span<const double> Steady() const { return std::span(values).subspan(warmup); }
};

/// The runs of one side, and which of them count. `kept` points into `runs`, so a Side is moved,
/// never copied. At least one run is kept: at most a third are outliers, and warm-up excludes a run
/// only if two others have less of it.
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

/// The limits as logarithms, the form in which they are judged.
struct Limits {
  double limit = 0;    ///< The limit as a logarithm.
  double far = 0;      ///< Three limits.
  double odd = 0;      ///< The distance from the others at which a run is an outlier.
  double too_far = 0;  ///< Four limits, which a pass excludes more surely than `far`.
  bool is_certain = false;
  bool keeps_all = false;  ///< No run is excluded: for pairs, whose runs share the machine's state.
};
/// `limit` (relative, not negative) as a logarithm: a growth of 5 % is 0.0488, a loss of 5 % is
/// 0.0513. A loss of 100 % or more, which is impossible, becomes a very large number (36).
double LogLimit(double limit, bool is_growth);

/// Makes the limits of a comparison.
Limits MakeLimits(const CompareOptions& options);

/// Makes a side, without outliers and runs that never settled. `series` has one list of times per
/// run, with its warm-up. O(n log n) over all values. REQUIRES: as Compare().
Side MakeSide(std::span<const Series> series, const CompareOptions& options, const Limits& limits);

/// Describes the used part of `side`, in the unit of `series`, from which it was made.
SideUse UseOf(const Side& side, std::span<const Series> series);

/// True if the absolute change, of the medians or of the judged change, reaches the floor, which is
/// in the values' unit; true for a floor of 0. REQUIRES: levels and shift of `comparison` are set.
bool IsBeyondFloor(const Comparison& comparison, double absolute_floor);

/// The number of iterations of the shortest kept run, with warm-up.
std::size_t ShortestOf(const Side& side);

/// Counts the iterations of `side`'s kept runs, without warm-up, that are slower than the base's
/// typical iteration by more than `limit`.
std::size_t CountSlower(const Side& base, const Side& side, double limit);

// Paired comparison: the runs of a pair are neighbors in time.
//
//     time       1    2    3    4    5    6
//     run        A    B    B    A    A    B            A B and B A alternate, so that a drift
//     pairs      `-b1-'    `-b2-'    `-b3-'            is no change of B
//
// Runs of two programs are recorded alternately on one machine, A B B A A B. An effect on both runs
// of a pair, e.g. heat or a busy neighbor, cancels out. src/gate/README.md compares the detection
// power with that of unpaired runs.

/// The fewest pairs that show the variation between pairs.
inline constexpr std::size_t kLeastPairs = knowledge::kGateLeastPairs.as<std::size_t>();

/// Compares the candidate of each pair with its baseline. The change is the mean of the pairs'
/// typical changes. Its error comes from their spread (a paired t-test, Gosset 1908), with half a
/// noise floor per run assumed. The total is judged on times relative to the pair's baseline. No
/// run is excluded, because its partner would then be compared with runs of another hour. If the
/// pairs are inconclusive, the answer has the number of pairs that would decide. REQUIRES: as
/// Compare(); as many candidates as baselines, at least kLeastPairs, in the order of the pairs.
Comparison ComparePairs(std::span<const Series> baselines, std::span<const Series> candidates,
                        const CompareOptions& options, const TotalSeries& totals = {});

}  // namespace profgauge::gate::stats
