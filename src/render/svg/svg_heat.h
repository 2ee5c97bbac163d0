// Two charts as SVG text: values of many things at many times as a strip of cells, and how values
// are distributed over many ranks. Colors and tables are described in svg.h. The size is bounded
// for any number of ranks and iterations.
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

/// Cells of one color, which is stronger for larger values.
struct HeatChart {
  std::vector<std::string> rows;     ///< Names, from the top.
  std::vector<std::string> columns;  ///< Names, from the left.
  std::vector<double> values;        ///< Row by row; negative: unknown.
  Paint paint;
  std::string (*value_text)(double) = nullptr;
  std::string description;
  int width = 1190;  ///< At most; few columns need less.
};
/// Draws cells in eight strengths of one color, by value relative to the largest one. Unknown and
/// zero values have no cell. The 24 largest have hover texts. Empty if no value is above 0.
/// REQUIRES: values.size() == rows.size() * columns.size(); value_text is set.
std::string SvgHeat(const HeatChart& chart);

/// The percentiles of one iteration over many ranks.
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
/// Draws boxes from p5 to p95 and from p25 to p75, and a line at the median. Bands that would be
/// too narrow are merged: the ends are the outermost ones, and the median is the mean of medians.
/// Empty without bands, or if all values are 0. REQUIRES: value_text is set.
std::string SvgBands(const BandChart& chart);

}  // namespace profgauge::render
