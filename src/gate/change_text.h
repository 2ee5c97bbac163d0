// The text of a comparison: one sentence each, the same in every output.
// Numbers were judged before: nothing here decides. Where the typical iteration is inconclusive,
// the sentence starts with "undecided" (over the limit) or "inconclusive" (within it), and names
// the way to decide it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "gate/by_chance.h"
#include "gate/change.h"
#include "gate/compare.h"

namespace profgauge::gate {

/// The context of a sentence about one metric, besides its numbers.
struct ChangeContext {
  Unit unit = Unit::kTime;
  double limit = 0;  ///< Relative, or in points; not negative.
  bool increase_is_bad = true;
  /// Only for shares: changes are printed as parts of this, the baseline's; 0: in points.
  double whole = 0;
};

/// The reason for the verdict, or its measurement: "+7.8 % [+3.1, +12.7], total +7.6 %, limit +5 %;
/// finds +7.2 % in nine of ten; …".
std::string DescribeChange(const stats::Comparison& comparison, const ChangeContext& context);

/// The same of a mean, which is the total: "mean +8.1 % [+2.0, +14.2], limit +5 %; by chance …".
/// REQUIRES: the total is judged, with its interval.
std::string DescribeMean(const stats::Comparison& comparison, const ChangeContext& context);

/// The same of a share of the time: "3 → 30 %, +27 pp [+21, +33], limit +5 pp; by chance …".
std::string DescribeShare(const stats::ShareComparison& comparison, const ChangeContext& context);

/// The same for a mean over iterations that is zero in some of them: "1.2 ms → 2.4 ms per
/// iteration, +100 % [+20, +180], limit +5 %; by chance …". `whole` is the baseline's mean.
std::string DescribeSparse(const stats::ShareComparison& comparison, const ChangeContext& context);

/// The same of a percentile or extreme: "+31 %, limit +10 %: 2 of 20 iterations over 1.1 × the
/// baseline's value, 2 of 60 there; by chance in 26 of 100".
std::string DescribeTail(const stats::TailComparison& comparison, const ChangeContext& context);

/// The same of one number a run: "+6.0 % [+1.6, +10.6], limit +5 %; noise from 3 baseline runs".
/// With one baseline run: "noise assumed".
std::string DescribeValue(const stats::ValueComparison& comparison, const ChangeContext& context,
                          std::size_t baseline_runs);

/// The data that a comparison skipped, and the missing data: one sentence each. Names are those of
/// the runs, in order; warm-up is not of this list.
std::vector<std::string> DescribeRuns(const stats::Comparison& comparison,
                                      const std::vector<std::string>& base_names,
                                      const std::vector<std::string>& current_names,
                                      const std::vector<stats::Series>& base,
                                      const std::vector<stats::Series>& current);

/// "iterations 0–2 of run b2 are slower than the rest: the typical iteration excludes them"
std::string DescribeWarmup(std::string_view run, std::size_t warmup);

/// The end of an interval; beyond a factor of five "below −80 %", "over +400 %".
std::string IntervalEnd(double change, bool is_points);

/// "by chance in 3 of 100", "by chance in under 1 of 1000"
std::string ChanceText(double chance);

/// "+7.8 % [+3.1, +12.7]"
std::string ChangeWithInterval(double change, double low, double high);

/// "+7.2 %"
std::string RelativeChange(double change);

}  // namespace profgauge::gate
