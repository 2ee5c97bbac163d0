// Shares of time as areas over time, as SVG text: how much of each moment belongs to each part.
// Colors and numbers are described in svg.h.
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

struct CoveragePart {
  Paint paint;
  bool hatched = false;
  std::vector<double> heights;  ///< 0..1 for each column, from the left.
};
/// An area of a row. The painted part is `share` of the ground, with an error of at most one step.
struct CoverageLane {
  std::string id;                   ///< For scripts and tests.
  std::string label;                ///< At the left.
  std::string number;               ///< At the right.
  std::string title;                ///< Shown on hover.
  double share = 0;                 ///< Share of the observed time.
  std::vector<CoveragePart> parts;  ///< From the bottom up; all with equally many columns.
};
struct CoverageRow {
  std::string name;  ///< The row's, above the labels.
  std::int64_t rank = 0;
  Ns begin = 0, length = 0;  ///< On the axis.
  std::vector<Span> blank;   ///< Unobserved times, without ground.
  CoverageLane upper, lower;
};
/// A line from the lower lane of row `row` to the upper lane of the next row.
struct CoverageJoin {
  std::size_t row = 0;
  Ns from = 0, to = 0;
};
struct CoverageChart {
  Ns length = 0;  ///< Length of the axis, which starts at 0.
  std::vector<CoverageRow> rows;
  std::vector<CoverageJoin> joins;
  std::string description;
  int columns = 940;                ///< Pixels of the axis.
  std::size_t most_bytes = 36'000;  ///< Approximate; wider columns meet it.
};
/// Draws the rows; empty if there are no rows or no time. Parts have no minimum size: small parts
/// are added to their neighbors until they are one step high. Columns are one to five pixels wide.
///
///                0          5 ms         10 ms
///   slowest: 5   |  #######_###_  #####|            53.5 %
///   GPU busy     |__#################__|
///   idle because |##_________##_______#|            46.5 % idle
std::string SvgCoverage(const CoverageChart& chart);

}  // namespace profgauge::render
