// Shares of time as areas over time, as SVG text: how much of each moment each part takes. As all
// charts (render/svg/svg.h), it carries its colors twice and is beside its numbers.
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
  std::vector<double> heights;  ///< 0..1 of each column, from the left.
};
/// An area of a row: what is painted of its ground is `share` of it, to a step of the height.
struct CoverageLane {
  std::string id;                   ///< For scripts and tests.
  std::string label;                ///< At the left.
  std::string number;               ///< At the right.
  std::string title;                ///< Shown on hover.
  double share = 0;                 ///< Of the observed time.
  std::vector<CoveragePart> parts;  ///< From the bottom up; equally many columns each.
};
struct CoverageRow {
  std::string name;  ///< Above the label.
  std::int64_t rank = 0;
  Ns begin = 0, length = 0;  ///< On the axis.
  std::vector<Span> blank;   ///< On the axis: not observed, so without ground.
  CoverageLane upper, lower;
};
/// A line from the lower lane of row `row` to the upper lane of the next.
struct CoverageJoin {
  std::size_t row = 0;
  Ns from = 0, to = 0;
};
struct CoverageChart {
  Ns length = 0;  ///< Of the axis, which begins at 0.
  std::vector<CoverageRow> rows;
  std::vector<CoverageJoin> joins;
  std::string description;
  int columns = 940;                ///< Pixels of the axis.
  std::size_t most_bytes = 36'000;  ///< About: columns are wider where it would be more.
};
/// Empty without rows or time. No part has a least width or height: one that is too small to see
/// adds up with its neighbors until it is a step high. Columns are one to five pixels wide.
///
///                0          5 ms         10 ms
///   slowest: 5   |  #######_###_  #####|            53.5 %
///   GPU busy     |__#################__|
///   idle because |##_________##_______#|            46.5 % idle
std::string SvgCoverage(const CoverageChart& chart);

}  // namespace profgauge::render
