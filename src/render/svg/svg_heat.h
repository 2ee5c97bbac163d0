// Values of many things at many times as a strip of cells, and how values spread over many, as SVG
// text. As all charts (render/svg/svg.h), they carry their colors twice and are beside their
// table. Their size is bounded, however many ranks and iterations there are.
#pragma once

#include <string>
#include <vector>

#include "render/svg/svg.h"

namespace profgauge::render {

/// Cells of one color: the stronger, the larger the value.
struct HeatChart {
  std::vector<std::string> rows;     ///< Names, from the top.
  std::vector<std::string> columns;  ///< Names, from the left.
  std::vector<double> values;        ///< Row by row; negative: unknown, 0: nothing.
  Paint paint;
  std::string (*value_text)(double) = nullptr;
  std::string description;
  int width = 1190;  ///< At most: few columns make a narrow chart.
};
/// Empty when no value is above 0. REQUIRES: values.size() == rows.size() * columns.size().
std::string SvgHeat(const HeatChart& chart);

/// Percentiles of an iteration over many ranks.
struct Band {
  std::string name;
  double p5 = 0, p25 = 0, median = 0, p75 = 0, p95 = 0;
};
struct BandChart {
  std::vector<Band> bands;  ///< From the left.
  Paint paint;
  std::string (*value_text)(double) = nullptr;
  std::string description;
  int width = 580, height = 180;
};
/// Neighbors that would be too narrow to see become one band that covers them. Empty without
/// bands, and when all are 0.
std::string SvgBands(const BandChart& chart);

}  // namespace profgauge::render
