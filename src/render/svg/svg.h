// The charts of a page, as SVG text: a stacked bar, stacked columns over iterations, a meter.
//
// Every shape has its color twice, as a presentation attribute and as a class: the attribute
// serves pages whose style sheet may not load, the class lets the style sheet choose for dark and
// print. No chart is the only carrier of its numbers; each is beside a table.
//
//   64 px     plot                                       110 px with lines, else 8
//   +------+--------------------------------------------+--------+
//   | axis |  v marked                                  |        |  22 px
//   |      |  ##      ##                                |        |
//   |      |- ## - -  ## - - - ## - - - - - - - - - - - | label  |  lines
//   |      |  ##  ##  ##  ##   ##                       |        |
//   +------+--------------------------------------------+--------+
//   |      |  1   2   3   4    5                        |        |  22 px
//
// Sizes and coordinates are CSS pixels; numbers have at most one decimal.
// A chart knows no report: it gets plain numbers, texts and paints. Texts are escaped here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/shared/looks.h"

namespace profgauge::render {

/// A square of the color, for legends, striped where its parts are. Hidden from screen readers, as
/// a word is beside it.
std::string SvgSwatch(const Paint& paint, bool hatched = false);

struct BarPart {
  Paint paint;
  double share = 0;   ///< 0..1 of the bar's width.
  std::string label;  ///< Drawn on the part where it fits: "38.2 %".
  std::string title;  ///< Shown on hover: "Kernels on Tensor Cores 38.2 %".
};
enum class Hover : bool { kEachPart, kWhole };
/// One horizontal bar. Parts follow each other from the left; the rest beyond them stays empty, and
/// parts whose share is not above 0 are left out. If many bars are below each other, the
/// description is the hover text of each, whatever part the pointer is on. Labels are drawn only
/// where they fit.
std::string SvgStackedBar(const std::vector<BarPart>& parts, int width, int height,
                          std::string_view description, Hover hover = Hover::kEachPart);

/// A row of a waterfall: 0..1 of its axis.
struct WaterfallBar {
  Paint paint;
  double from = 0, to = 1;
  bool pale = false;              ///< Not yet.
  std::optional<double> reaches;  ///< Where a line goes on to, from `from`.
  std::optional<double> mark;     ///< Where a line crosses the bar.
};
/// Hairlines at both ends join it with the rows above and below. Hidden from screen readers, as its
/// numbers are beside it.
///
///   now     |####################|
///   step 1  |             |#####||
///   step 2  |    --|######|       |      may reach further
///   after   |####|                |
std::string SvgWaterfallBar(const WaterfallBar& bar, int width, int height);

/// One column; values beyond the number of series are not drawn.
struct ChartColumn {
  std::vector<double> values;  ///< One for each series, from the bottom up.
  std::string title;           ///< Shown on hover.
  std::string name;            ///< Under the axis where there is room.
  bool marked = false;         ///< An outlier: a triangle above the column.
  bool shaded = false;         ///< Not selected: drawn pale.
};
struct ChartLine {
  double value = 0;
  std::string label;
};
struct ColumnChart {
  std::vector<Paint> series;
  std::vector<ChartColumn> columns;
  std::vector<ChartLine> lines;                ///< Horizontal, over the columns.
  std::string (*axis_text)(double) = nullptr;  ///< Labels of the vertical axis.
  std::string description;
  int width = 1190, height = 230;
};
/// Stacked columns from 0, over one axis. Empty without columns. One path for each series, so the
/// size is bounded by columns, not by shapes; hover texts only up to 120 columns, names only where
/// there is room.
std::string SvgColumns(const ColumnChart& chart);

/// For meters of neutral values.
inline constexpr Paint kNoState = {"mute", "#0072B2", "#fff"};
/// A value on a scale from 0 to `scale`, with a tick at the limit and at another one, where they
/// are not negative.
struct Meter {
  double value = 0, limit = 0, other_limit = -1, scale = 1;
  Paint paint = kNoState;
  std::string description;
};
/// A bar of 120 x 14 pixels. Values beyond the scale end at its end; a scale of 0 or less is 1.
std::string SvgMeter(const Meter& meter);

}  // namespace profgauge::render
