// Values that stay until they change, as SVG text, e.g. allocated memory over time. Colors and
// tables are described in svg.h.
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
  bool filled = false;   ///< Drawn as an area; else as a line.
  std::size_t size = 0;  ///< Number of points.
  /// Returns the time and value of a point; points are in order of time. Called several times,
  /// because copying millions of points takes longer than drawing them.
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
/// Draws the series in order, thinned to pixels, but with every peak. Empty if all points have one
/// time. A hidden rectangle has the ranges of both axes, from which scripts read values. REQUIRES:
/// value_text and time_text are set. O(points).
std::string SvgSteps(const StepChart& chart);

}  // namespace profgauge::render
