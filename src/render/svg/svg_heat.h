// Values of many things at many times as a strip of cells, and how values spread over many, as SVG
// text. As all charts (render/svg/svg.h), they carry their colors twice and are beside their
// table. Their size is bounded, however many ranks and iterations there are.
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
/// Cells in eight strengths of one color, by value as a share of the largest; unknown and zero
/// values have no cell. The largest 24 have hover texts. Empty when no value is above 0. REQUIRES:
/// values.size() == rows.size() * columns.size(); value_text is set.
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
/// Boxes from p5 to p95 and from p25 to p75, a line at the median. Neighbors that would be too
/// narrow to see become one band that covers them: its ends are the outermost, its median the mean
/// of theirs. Empty without bands, and when all are 0. REQUIRES: value_text is set.
std::string SvgBands(const BandChart& chart);

}  // namespace profgauge::render
