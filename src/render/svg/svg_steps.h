// A chart of values that hold until they change, as SVG text: allocated memory over time. As all
// charts (render/svg/svg.h), it carries its colors twice and is beside its table.
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

struct StepSeries {
  Paint paint;
  std::string name;
  bool filled = false;   ///< An area; else a line.
  std::size_t size = 0;  ///< Points.
  /// Time and value of each, in order of time. They are asked for several times: a copy of millions
  /// takes longer to make room for than to draw.
  std::function<std::pair<std::int64_t, double>(std::size_t)> point;
};
struct StepChart {
  std::vector<StepSeries> series;
  std::vector<ChartLine> lines;                 ///< Horizontal: the peak, the device's memory.
  std::string (*value_text)(double) = nullptr;  ///< Labels of the vertical axis.
  std::string (*time_text)(double) = nullptr;   ///< Labels of the horizontal axis.
  std::string description;
  int width = 1190, height = 240;
};
/// Empty when all points have one time. Series are drawn in order; each is thinned to the chart's
/// pixels so that every peak stays. A hidden rectangle has the ranges of both axes, for scripts
/// that read values off the curve. REQUIRES: value_text and time_text are set. O(points).
std::string SvgSteps(const StepChart& chart);

}  // namespace profgauge::render
