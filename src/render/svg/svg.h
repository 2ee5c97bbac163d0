// Charts as SVG text: a stacked bar, stacked columns over iterations, a meter.
//
// Every shape has its color as a presentation attribute and as a class. The attribute works without
// a style sheet; the class allows other colors for dark mode and print. A chart is always beside a
// table with its numbers.
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
// Sizes and coordinates are CSS pixels with at most one decimal. A chart gets plain numbers, texts
// and paints, and knows no report. It escapes its texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/shared/looks.h"

namespace profgauge::render {

/// A square of a color for legends, with stripes if parts have them. Hidden from screen readers,
/// because a word is beside it.
std::string SvgSwatch(const Paint& paint, bool hatched = false);

struct BarPart {
  Paint paint;
  double share = 0;   ///< 0..1 of the bar's width.
  std::string label;  ///< "38.2 %", drawn if it fits the part.
  std::string title;  ///< Shown on hover: "Kernels on Tensor Cores 38.2 %".
};
enum class Hover : bool { kEachPart, kWhole };
/// One horizontal bar. Parts follow each other from the left, and the rest stays empty. Parts with
/// a share of 0 or less are omitted. kWhole, for many bars in a column, makes the description the
/// hover text of the whole bar. A label is drawn only if it fits.
std::string SvgStackedBar(const std::vector<BarPart>& parts, int width, int height,
                          std::string_view description, Hover hover = Hover::kEachPart);

/// A row of a waterfall. Positions are 0..1 on its axis.
struct WaterfallBar {
  Paint paint;
  double from = 0, to = 1;
  bool pale = false;              ///< Drawn pale: not yet a finding.
  std::optional<double> reaches;  ///< End of a line that begins at `from`.
  std::optional<double> mark;     ///< Position of a line across the bar.
};
/// The bar of one row. Thin lines at its ends join it with the rows above and below. Hidden from
/// screen readers, because its numbers are beside it.
///
///   now     |####################|
///   step 1  |             |#####||
///   step 2  |    --|######|       |      may reach further
///   after   |####|---             |      may stay longer
std::string SvgWaterfallBar(const WaterfallBar& bar, int width, int height);

/// One column. It has one value for each series; further values are ignored.
struct ChartColumn {
  std::vector<double> values;  ///< One per series, from the bottom up.
  std::string title;           ///< Shown on hover.
  std::string name;            ///< Below the axis if there is space.
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
/// Stacked columns from 0 on one axis. Empty without columns. There is one path for each series, so
/// the size depends only on columns. Up to 120 have hover texts. Names are drawn if they fit.
std::string SvgColumns(const ColumnChart& chart);

/// The color of meters whose value is neither good nor bad.
inline constexpr Paint kNoState = {"mute", "#0072B2", "#fff"};
/// A value on a scale from 0 to `scale`, with ticks at both limits, unless a limit is negative.
struct Meter {
  double value = 0, limit = 0, other_limit = -1, scale = 1;
  Paint paint = kNoState;
  std::string description;
};
/// A bar of 120 x 14 pixels. Values are clipped to the scale. A scale of 0 or less becomes 1.
std::string SvgMeter(const Meter& meter);

}  // namespace profgauge::render
