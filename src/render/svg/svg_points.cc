#include "render/svg/svg_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "render/shared/escape.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr double kLeft = 84, kRight = 150, kTop = 10, kBottom = 24;
constexpr double kPixelsApart = 5;        // Closer points of a series are drawn once.
constexpr std::size_t kMostPoints = 400;  // Per series.

// Positions in the plot. x is in powers of ten, because message sizes span many of them.
struct Frame {
  double low = 0, high = 1, top = 1;  // Decades of x, and the value of y.
  double width = 0, height = 0;
  double X(double x) const { return kLeft + width * (std::log10(x) - low) / (high - low); }
  double Y(double y) const { return kTop + height * (1 - y / top); }
};

// A shape around the point. Series have six shapes, because not everyone can distinguish colors.
// After these, the shapes repeat with other colors.
std::string ShapeOf(std::size_t series, double x, double y) {
  switch (series % 6) {
    case 0:
      return fmt::format("M{} {}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", SvgNumber(x - 4), SvgNumber(y));
    case 1:
      return fmt::format("M{} {}h7v7h-7z", SvgNumber(x - 3.5), SvgNumber(y - 3.5));
    case 2:
      return fmt::format("M{} {}l5 9h-10z", SvgNumber(x), SvgNumber(y - 5));
    case 3:
      return fmt::format("M{} {}l5 5l-5 5l-5 -5z", SvgNumber(x), SvgNumber(y - 5));
    case 4:
      return fmt::format("M{} {}l-5 -9h10z", SvgNumber(x), SvgNumber(y + 5));
    default:
      return fmt::format("M{} {}h3v-3h3v3h3v3h-3v3h-3v-3h-3z", SvgNumber(x - 4.5),
                         SvgNumber(y - 1.5));
  }
}

void DrawAxes(const PointChart& chart, const Frame& frame, std::string& out) {
  const double step = SvgAxisStep(frame.top);
  for (double value = 0; value <= frame.top * 1.0001; value += step) {
    out += fmt::format(
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{} {}H{}\"/><text class=\"ink\" fill=\"#444\" "
        "x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        SvgNumber(kLeft), SvgNumber(frame.Y(value)), SvgNumber(kLeft + frame.width),
        SvgNumber(kLeft - 6), SvgNumber(frame.Y(value) + 4), EscapeHtml(chart.y_text(value)));
  }
  for (double decade = frame.low; decade <= frame.high; ++decade) {
    const double x = frame.X(std::pow(10, decade));
    out += fmt::format(
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{0} {1}V{2}\"/><text class=\"ink\" "
        "fill=\"#444\" x=\"{0}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>",
        SvgNumber(x), SvgNumber(kTop), SvgNumber(kTop + frame.height), chart.height - 6,
        EscapeHtml(chart.x_text(std::pow(10, decade))));
  }
}

// Draws marked points first, so that the limit on points never hides an outlier. Returns how many
// points the limit hides; points near drawn ones do not count.
std::size_t DrawSeries(const PointSeries& series, std::size_t index, const Frame& frame,
                       std::string& out) {
  std::vector<const ChartPoint*> order;
  for (const ChartPoint& point : series.points) order.push_back(&point);
  std::stable_partition(order.begin(), order.end(),
                        [](const ChartPoint* point) { return point->marked; });
  std::set<std::pair<long, long>> taken;
  std::size_t left_out = 0;
  for (const ChartPoint* point : order) {
    const double x = frame.X(point->x), y = frame.Y(point->y);
    const std::pair place(std::lround(x / kPixelsApart), std::lround(y / kPixelsApart));
    if (taken.size() >= kMostPoints) {
      left_out += taken.contains(place) ? 0 : 1;
      continue;
    }
    if (!taken.insert(place).second) continue;
    out += fmt::format("<path class=\"{}\" fill=\"{}\" d=\"{}\"><title>{}</title></path>",
                       series.paint.name, series.paint.fill, ShapeOf(index, x, y),
                       EscapeHtml(point->title));
    if (!point->marked) continue;
    out += fmt::format(
        "<circle class=\"rule\" fill=\"none\" stroke=\"#222\" cx=\"{}\" cy=\"{}\" "
        "r=\"8\"/>",
        SvgNumber(x), SvgNumber(y));
  }
  return left_out;
}

}  // namespace

std::string SvgPoints(const PointChart& chart) {
  double least = 0, most = 0;
  Frame frame;
  frame.top = 0;
  for (const PointSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      least = least > 0 ? std::min(least, point.x) : point.x;
      most = std::max(most, point.x);
      frame.top = std::max(frame.top, point.y);
    }
  }
  if (!(least > 0)) return {};
  frame.top = frame.top > 0 ? frame.top * 1.06 : 1;  // Space for the highest symbol.
  frame.low = std::floor(std::log10(least));
  frame.high = std::max(frame.low + 1, std::ceil(std::log10(most)));
  frame.width = chart.width - kLeft - kRight;
  frame.height = chart.height - kTop - kBottom;
  std::string out = SvgOpen(chart.width, chart.height, chart.description, "chart");
  DrawAxes(chart, frame, out);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const PointSeries& series = chart.series[i];
    const std::size_t left_out = DrawSeries(series, i, frame, out);
    const std::string more = left_out > 0 ? fmt::format(" (+{} not drawn)", left_out) : "";
    const double x = kLeft + frame.width + 16, y = kTop + 10 + 18 * static_cast<double>(i);
    out += fmt::format(
        "<path class=\"{}\" fill=\"{}\" d=\"{}\"/><text class=\"ink\" fill=\"#444\" x=\"{}\" "
        "y=\"{}\">{}</text>",
        series.paint.name, series.paint.fill, ShapeOf(i, x, y), SvgNumber(x + 12), SvgNumber(y + 4),
        EscapeHtml(series.name + more));
  }
  return out + "</svg>";
}

}  // namespace profgauge::render
