// The trend of one metric over runs, as SVG text.
#pragma once

#include <string>

#include "report/trend.h"

namespace profgauge::render {

/// The chart of one metric as SVG: a dot for each run, a line for each level, the changes named.
/// Empty for fewer than two values.
std::string SvgTrend(const report::TrendSeries& series);

}  // namespace profgauge::render
