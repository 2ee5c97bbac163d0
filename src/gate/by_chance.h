// Compares shares, percentiles and sums of a run with the baseline's, including chance.
//
// For metrics without a typical iteration, or without values by iteration. The data decides:
//
//     CompareShares      part and whole of each iteration       draws of whole iterations
//     CompareMeans       a value of each iteration, maybe 0     draws of values
//     CompareTails       which iterations are over a bound      Fisher's exact test
//     CompareRunValues   one number a run                       prediction interval
//
// compare_metric.cc chooses one of these. kInconclusive always has
// `over_limit` here, so it is never a pass: the change may or may not be chance. It is more likely
// with few iterations, so record more of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gate/change.h"

namespace profgauge::gate::stats {

/// The iterations of one run: for each the time of the part, and the whole time.
struct ShareOfRun {
  std::vector<double> part, whole;
};

/// The share of the part in the total time of all iterations.
double ShareOfTotals(std::span<const ShareOfRun> runs);

/// The result for a share or a mean.
struct ShareComparison {
  Change change = Change::kPass;
  bool over_limit = false;       ///< Inconclusive: over three limits, or too uncertain to fail.
  double base = 0, current = 0;  ///< Shares of the totals: the shown value is the judged value.
  double low = 0, high = 0;      ///< Interval of current - base, 98 %.
  std::optional<double> chance;  ///< Probability by chance; set if the change is over the limit.
};

/// Compares the share of a part in the time of all iterations with a limit in points (0.05 is five
/// points). A permutation test (gate/significance.h) exchanges whole iterations between the sides,
/// so long ones weigh as much as they do in the share. It assumes independent iterations. Time:
/// kDraws times the iterations of the smaller side.
/// REQUIRES: no list is empty, no whole is 0; part and whole of a run are equally long; limit >= 0.
ShareComparison CompareShares(std::span<const ShareOfRun> base, std::span<const ShareOfRun> current,
                              double limit, bool lower_is_better);

/// Compares a mean over iterations of which some values are zero, so no iteration is typical.
/// `noise`: standard deviation between runs of one program, in the unit of the values, like
/// `limit`. An increase is bad. The iterations of a side are pooled, so longer runs weigh more.
/// REQUIRES: no list is empty; limit, noise >= 0.
ShareComparison CompareMeans(std::span<const std::vector<double>> base,
                             std::span<const std::vector<double>> current, double limit,
                             double noise);

/// How many iterations are slower than a bound, compared with the baseline.
struct TailComparison {
  Change change = Change::kPass;
  bool over_limit = false;
  double base = 0, current = 0;  ///< Values of the metric.
  double bound = 0;              ///< Iterations beyond this are counted.
  std::size_t base_over = 0, base_of = 0, current_over = 0, current_of = 0;
  double chance = 1;  ///< Fisher's exact test, one-sided.
};

/// Counts the values over `bound` on both sides and compares the counts (Fisher's exact test).
/// Passes without a test unless the metric is over its limit (`is_over`). Reason: of 20 iterations
/// one or two decide a high percentile, so 1 slow one of 20 must not fail against 1 of 60. The
/// caller sets `base` and `current` of the result.
TailComparison CompareTails(std::span<const double> base, std::span<const double> current,
                            double bound, bool is_over);

/// The result of comparing runs by one number each.
struct ValueComparison {
  Change change = Change::kPass;
  bool over_limit = false;
  double shift = 0, low = 0, high = 0;  ///< Relative; the interval holds it with 98 %.
};

/// Compares one number of a run with those of the baseline's runs. Their spread is the noise; if
/// there are few runs, the noise floor is added. `iterations` is how many the number sums up, 0 if
/// it is no sum. The interval predicts one more run of the same program: Student's t with the
/// standard deviation times sqrt(1 + 1 / runs). Several candidates count as one, their median.
/// REQUIRES: all values > 0, no list is empty.
ValueComparison CompareRunValues(std::span<const double> base, std::span<const double> current,
                                 const CompareOptions& options, double iterations);

}  // namespace profgauge::gate::stats
