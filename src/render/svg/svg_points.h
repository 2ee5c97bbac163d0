// Points by size as SVG text. Each kind of point has its color and shape. Colors and tables are
// described in svg.h.
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

struct ChartPoint {
  double x = 0, y = 0;  ///< x is above 0, y at least 0.
  std::string title;    ///< Shown on hover.
  bool marked = false;  ///< An outlier: a ring around it.
};
struct PointSeries {
  Paint paint;
  std::string name;  ///< Beside its symbol, at the right.
  std::vector<ChartPoint> points;
};
struct PointChart {
  std::vector<PointSeries> series;
  std::string (*x_text)(double) = nullptr;
  std::string (*y_text)(double) = nullptr;
  std::string description;
  int width = 900, height = 300;
};
/// Draws the points; empty if there are none. x is logarithmic in whole decades; y starts at 0.
/// Points of a series that overlap are drawn once, marked ones first, and at most 400 of each
/// series. REQUIRES: every x is above 0; x_text and y_text are set.
std::string SvgPoints(const PointChart& chart);

}  // namespace profgauge::render
