// Charts of one kind of data each, as SVG text.
//
//   SvgBlocks     rectangles: address x time            memory of an accelerator
//   SvgHeat       cells: rank x iteration               waiting of ranks
//   SvgBands      percentiles of many by iteration      spread over ranks
//   SvgCoverage   shares of time as areas over time     the strip of the first screen
//   SvgOverview   lanes of events                       the timeline without scripts
//   SvgPoints     points: size x rate                   bandwidths
//   SvgSteps      curves that hold until they change    memory over time
//   SvgTrend      one metric over runs                  the history
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

// Ranges of addresses over time, as SVG text: who occupies which part of a memory, and when. As all
// charts (render/svg/svg.h), it carries its colors twice and is beside its table.

struct Block {
  Ns start = 0, end = 0;
  std::int64_t address = 0, bytes = 0;
  Paint paint;
  std::string title;  ///< Shown on hover.
};
struct BlockChart {
  Ns begin = 0, end = 0;      ///< The range of the time axis; the blocks are within it.
  std::vector<Block> blocks;  ///< Later ones are drawn over earlier ones.
  std::string description;
  int width = 1190, height = 260;
};
/// Time from left to right, addresses from the bottom up as far as the blocks reach. Empty without
/// blocks or time. Its size grows with the number of blocks.
std::string SvgBlocks(const BlockChart& chart);

// Values of many things at many times as a strip of cells, and how values spread over many, as SVG
// text. As all charts (render/svg/svg.h), they carry their colors twice and are beside their
// table. Their size is bounded, however many ranks and iterations there are.

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

// Shares of time as areas over time, as SVG text: how much of each moment each part takes. As all
// charts (render/svg/svg.h), it carries its colors twice and is beside its numbers.

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

// Events on lanes over a range of time, as SVG text: for readers without scripts instead
// of the timeline. Like all charts (render/svg/svg.h), it has its colors twice and is beside
// its table.

struct OverviewEvent {
  Ns start = 0, end = 0;
  std::uint32_t paint = 0;  ///< Index into OverviewChart::paints.
  std::string name;         ///< Drawn where it fits.
};
struct OverviewLane {
  std::string name;                   ///< At the left; empty: goes on with the lane above.
  std::vector<OverviewEvent> events;  ///< By start; they do not overlap.
};
struct OverviewChart {
  Ns begin = 0, end = 0;
  std::vector<OverviewLane> lanes;
  std::vector<Paint> paints;
  std::string description;
  int width = 1190;
};
/// Empty when the range or the lanes are. Its size is bounded, however many events there are: of
/// every three pixels each color has the height that it has of their time. REQUIRES: `paint` of
/// every event is an index into `paints`.
std::string SvgOverview(const OverviewChart& chart);

// Points over sizes, as SVG text: a kind of point has its color and its shape. As all charts
// (render/svg/svg.h), it carries its colors twice and is beside its table.

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

// A chart of values that hold until they change, as SVG text: allocated memory over time. As all
// charts (render/svg/svg.h), it carries its colors twice and is beside its table.

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

// The trend of one metric over runs, as SVG text.

/// The chart of one metric as SVG: a dot for each run, a line for each level, the changes named.
/// The vertical axis spans the values and not 0, since a change of 3 % must be visible. Empty for
/// fewer than two values.
std::string SvgTrend(const report::TrendSeries& series, std::span<const report::TrendRun> runs);

}  // namespace profgauge::render
