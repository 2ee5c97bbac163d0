// The trend of one metric over runs, as SVG text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "render/svg/svg.h"
#include "report/runs.h"

namespace profgauge::render {

/// The chart of one metric as SVG: a dot for each run, a line for each level, and labeled changes.
/// The vertical axis spans the values and does not start at 0, because a change of 3 % must be
/// visible. Empty if there are fewer than two values.
std::string SvgTrend(const report::TrendSeries& series, std::span<const report::TrendRun> runs);

}  // namespace profgauge::render
