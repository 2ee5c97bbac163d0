// Charts of one kind of data each, as SVG text.
//
//   SvgBlocks     rectangles: address x time            memory of an accelerator
//   SvgHeat       cells: rank x iteration               waiting of ranks
//   SvgBands      percentiles of many by iteration      spread over ranks
//   SvgMeetings   lanes joined by calls                 who arrives last
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

// Calls of several ranks on one time axis, joined where they are one call, as SVG text. As all
// charts (render/svg/svg.h), it carries its colors twice and is beside its table.

struct MeetingCall {
  std::int64_t call = -1;  ///< The same on all lanes that have it; -1: of no other lane.
  Ns start = 0, waiting = 0, transfer = 0;
  std::string title;  ///< Shown on hover.
};
struct MeetingLane {
  std::string name;
  Ns begin = 0, end = 0;  ///< Ends of the iteration.
  std::vector<MeetingCall> calls;
};
struct MeetingChart {
  std::vector<MeetingLane> lanes;
  Paint waiting, transfer, other;  ///< `other` is the iteration around the calls.
  std::string (*time_text)(double) = nullptr;
  std::string description;
  int width = 1190;
};
/// A line joins the starts of a call on neighboring lanes: the more it slants, the later one came.
/// Empty without lanes or time. REQUIRES: time_text is set.
///
///   rank 0   |--[wwwwwwwttt]-----|     w waits, t transfers
///               `------.               the line from start to start
///   rank 1   |---------[ttt]-----|     arrives last, so it does not wait
std::string SvgMeetings(const MeetingChart& chart);

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
/// Empty when the range or the lanes are. Its size is bounded, however many events there are: a
/// lane has one color for every three pixels, that of the kind that covers most of them. REQUIRES:
/// `paint` of every event is an index into `paints`.
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
