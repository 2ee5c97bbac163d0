// Points over sizes, as SVG text: a kind of point has its color and its shape. As all charts
// (render/svg/svg.h), it carries its colors twice and is beside its table.
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
  double x = 0, y = 0;  ///< Above 0; at least 0.
  std::string title;    ///< Shown on hover.
  bool marked = false;  ///< An outlier: a ring around it.
};
struct PointSeries {
  Paint paint;
  std::string name;  ///< Beside its sign, at the right.
  std::vector<ChartPoint> points;
};
struct PointChart {
  std::vector<PointSeries> series;
  std::string (*x_text)(double) = nullptr;
  std::string (*y_text)(double) = nullptr;
  std::string description;
  int width = 900, height = 300;
};
/// x is logarithmic, in whole decades; y begins at 0. Points of a series that would cover each
/// other are drawn once, marked ones before others, and at most 400 of a series. Empty without
/// points. REQUIRES: x of every point is above 0; x_text and y_text are set.
std::string SvgPoints(const PointChart& chart);

}  // namespace profgauge::render
