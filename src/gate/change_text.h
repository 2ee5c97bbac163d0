// The texts of a comparison, one sentence each, the same in every output. They only describe
// numbers that were judged before. If the typical iteration is inconclusive, the sentence starts
// with "undecided" (over the limit) or "inconclusive" (within it) and names a remedy.
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

/// The context of a sentence about one metric.
struct ChangeContext {
  Unit unit = Unit::kTime;
  double limit = 0;  ///< Relative, or in points; not negative.
  bool increase_is_bad = true;
  /// The baseline's value of a share, if printed changes are relative to it; 0: changes in points.
  double whole = 0;
};

/// The reason for the verdict with its numbers: "+7.8 % [+3.1, +12.7], total +7.6 %, limit +5 %;
/// finds +7.2 % in nine of ten; …".
std::string DescribeChange(const stats::Comparison& comparison, const ChangeContext& context);

/// Describes a change of a mean, which is judged as a total: "mean +8.1 % [+2.0, +14.2], limit +5
/// %; …". REQUIRES: the total is judged, with its interval.
std::string DescribeMean(const stats::Comparison& comparison, const ChangeContext& context);

/// Describes a share of the time: "3 → 30 %, +27 pp [+21, +33], limit +5 pp; by chance …".
std::string DescribeShare(const stats::ShareComparison& comparison, const ChangeContext& context);

/// Describes a mean over iterations of which some are zero: "1.2 ms → 2.4 ms per iteration,
/// +100 % [+20, +180], limit +5 %; by chance …". `whole` of the context is the baseline's mean.
std::string DescribeSparse(const stats::ShareComparison& comparison, const ChangeContext& context);

/// Describes a percentile or extreme: "+31 %, limit +10 %: 2 of 20 iterations over 1.1 × the
/// baseline's value, 2 of 60 there; by chance in 26 of 100".
std::string DescribeTail(const stats::TailComparison& comparison, const ChangeContext& context);

/// Describes one number per run: "+6.0 % [+1.6, +10.6], limit +5 %; noise from 3 baseline runs".
/// With one baseline run: "noise assumed".
std::string DescribeValue(const stats::ValueComparison& comparison, const ChangeContext& context,
                          std::size_t baseline_runs);

/// Sentences about skipped and missing data. `names` are those of the runs, in order.
/// DescribeWarmup() describes warm-up.
std::vector<std::string> DescribeRuns(const stats::Comparison& comparison,
                                      const std::vector<std::string>& base_names,
                                      const std::vector<std::string>& current_names,
                                      const std::vector<stats::Series>& base,
                                      const std::vector<stats::Series>& current);

/// "iterations 0–2 of 6 baseline runs are slower than the rest: the typical iteration excludes
/// them"; empty if no run has a warm-up. `word`: "baseline" or "candidate".
std::string DescribeWarmup(const std::vector<stats::Series>& runs,
                           const std::vector<std::string>& names, std::string_view word);

/// One end of an interval. Beyond a factor of five: "below −80 %", "over +400 %".
std::string IntervalEnd(double change, bool is_points);

/// A probability: "by chance in 3 of 100", "by chance in under 1 of 1000".
std::string ChanceText(double chance);

/// A change with its interval: "+7.8 % [+3.1, +12.7]".
std::string ChangeWithInterval(double change, double low, double high);

/// A relative change: "+7.2 %".
std::string RelativeChange(double change);

}  // namespace profgauge::gate
