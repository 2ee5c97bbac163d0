// Shares, percentiles and sums of a run against those of the baseline, with chance counted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gate/change.h"

namespace profgauge::stats {

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

/// Compares the share of a part in the time of all iterations with a limit in points. Iterations
/// change sides whole. REQUIRES: no list is empty, no whole is 0.
ShareComparison CompareShares(std::span<const ShareOfRun> base, std::span<const ShareOfRun> current,
                              double limit, bool lower_is_better);

/// The same for a mean over iterations that is zero in some of them, so that no iteration is
/// typical: `noise` is the standard deviation between runs of one program, in the unit of the
/// values, as is `limit`. An increase is bad. REQUIRES: no list is empty.
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
/// itself is over its limit.
TailComparison CompareTails(std::span<const double> base, std::span<const double> current,
                            double bound, bool is_over);

/// Values of runs of one program, one number each.
struct ValueComparison {
  Change change = Change::kPass;
  bool over_limit = false;
  double shift = 0, low = 0, high = 0;  ///< Relative; the interval holds it with 98 %.
};

/// Compares one number of a run with those of the baseline's runs: their spread is the noise, with
/// the noise floor if they are few. `iterations`: of a run, of whose sum it is; 0: of none.
/// REQUIRES: all values > 0, no list is empty.
ValueComparison CompareRunValues(std::span<const double> base, std::span<const double> current,
                                 const CompareOptions& options, double iterations);

}  // namespace profgauge::stats
