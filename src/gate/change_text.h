// What is said of a comparison: one sentence each, the same in every output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "gate/change.h"

namespace profgauge {

/// What a sentence about one metric needs beside its numbers.
struct ChangeContext {
  Unit unit = Unit::kTime;
  double limit = 0;  ///< Relative, or in points; not negative.
  bool increase_is_bad = true;
  bool judges = true;  ///< Whether an open answer ends in exit 3.
  /// Of shares: changes are said as parts of this, the baseline's; 0: in points.
  double whole = 0;
};

/// Why the verdict is what it is, or how it was measured: "+7.8 % [+3.1, +12.7], limit +5 %; median
/// 211 → 228 ms; 17 of 20 iterations, 3 runs of 58".
std::string DescribeChange(const stats::Comparison& comparison, const ChangeContext& context);

/// What was left out of a comparison, and what it lacks: one sentence each. Names are those of the
/// runs, in order; warm-up is not of this list.
std::vector<std::string> DescribeRuns(const stats::Comparison& comparison,
                                      const std::vector<std::string>& base_names,
                                      const std::vector<std::string>& current_names,
                                      const std::vector<stats::Series>& base,
                                      const std::vector<stats::Series>& current, Unit unit);

/// "iterations 0–2 were left out as warm-up of run b2"
std::string DescribeWarmup(std::string_view run, std::size_t warmup);

/// The end of an interval; beyond a factor of five "below −80 %", "over +400 %".
std::string IntervalEnd(double change, bool is_points);

}  // namespace profgauge
