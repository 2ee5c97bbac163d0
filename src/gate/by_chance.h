// Shares, percentiles and sums of a run against those of the baseline, with chance counted.
//
// For metrics that have no typical iteration, or no series at all. Four kinds, by the data there
// is:
//
//     CompareShares      part and whole of each iteration       draws of whole iterations
//     CompareMeans       a value of each iteration, maybe 0     draws of values
//     CompareTails       which iterations are over a bound      Fisher's exact test
//     CompareRunValues   one number a run                       prediction interval
//
// compare_metric.cc and compare_values.cc choose. kInconclusive is always over the limit here
// (`over_limit`): the change may be chance and may not, so it is no pass. Fewer iterations make
// that more probable, so record more of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gate/change.h"

namespace profgauge::gate::stats {

/// One run's iterations: the time that a part takes of each, and its whole time.
struct ShareOfRun {
  std::vector<double> part, whole;
};

/// The part of all iterations together in their time.
double ShareOfTotals(std::span<const ShareOfRun> runs);

/// The answer about a share or a mean.
struct ShareComparison {
  Change change = Change::kPass;
  bool over_limit = false;       ///< Inconclusive: over three limits, or improbable but not enough.
  double base = 0, current = 0;  ///< Shares of the totals: the shown value is the judged value.
  double low = 0, high = 0;      ///< Interval of current - base, 98 %.
  std::optional<double> chance;  ///< Where the change is over the limit.
};

/// Compares the share of a part in the time of all iterations with a limit in points (0.05 is five
/// points). Iterations change sides whole, with part and time, so that long ones weigh as much as
/// they do in the share. A permutation test (gate/significance.h); it takes iterations as
/// independent. Time: kDraws times the iterations of the smaller side.
/// REQUIRES: no list is empty, no whole is 0; part and whole of a run are equally long; limit >= 0.
ShareComparison CompareShares(std::span<const ShareOfRun> base, std::span<const ShareOfRun> current,
                              double limit, bool lower_is_better);

/// The same for a mean over iterations that is zero in some of them, so that no iteration is
/// typical: `noise` is the standard deviation between runs of one program, in the unit of the
/// values, as is `limit`. An increase is bad. Iterations of all runs of a side are pooled, so a
/// longer run weighs more. REQUIRES: no list is empty; limit, noise >= 0.
ShareComparison CompareMeans(std::span<const std::vector<double>> base,
                             std::span<const std::vector<double>> current, double limit,
                             double noise);

/// Iterations slower than those of the baseline.
struct TailComparison {
  Change change = Change::kPass;
  bool over_limit = false;
  double base = 0, current = 0;  ///< Values of the metric.
  double bound = 0;              ///< An iteration beyond this counts.
  std::size_t base_over = 0, base_of = 0, current_over = 0, current_of = 0;
  double chance = 1;  ///< Fisher's exact test, one-sided.
};

/// Judges how many `current` values are over `bound` against how many of `base`, where the metric
/// itself is over its limit (`is_over`); else it is a pass with only the counts. A percentile of
/// twenty iterations is one or two of them: that one of 20 is slow beside one of 60 is no change.
/// `base` and `current` of the result are left to the caller, who knows the metric's values.
TailComparison CompareTails(std::span<const double> base, std::span<const double> current,
                            double bound, bool is_over);

/// Values of runs of one program, one number each.
struct ValueComparison {
  Change change = Change::kPass;
  bool over_limit = false;
  double shift = 0, low = 0, high = 0;  ///< Relative; the interval holds it with 98 %.
};

/// Compares one number of a run with those of the baseline's runs: their spread is the noise, with
/// the noise floor if they are few. `iterations`: of a run, of whose sum it is; 0: of none. The
/// interval is one of prediction, for one more run of the same program: Student's t with the
/// standard deviation times sqrt(1 + 1 / runs). Several candidates count as one, by their median.
/// REQUIRES: all values > 0, no list is empty.
ValueComparison CompareRunValues(std::span<const double> base, std::span<const double> current,
                                 const CompareOptions& options, double iterations);

}  // namespace profgauge::gate::stats
