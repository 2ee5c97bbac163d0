#include "render/svg/svg_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/shared/escape.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr double kLeft = 70, kRight = 130, kTop = 10, kBottom = 26;

struct Frame {
  double first = 0, last = 1, top = 1;
  double width = 0, height = 0;
  double X(double time) const { return kLeft + width * (time - first) / (last - first); }
  double Y(double value) const { return kTop + height * (1 - value / top); }
};

double LastValue(const StepSeries& series) { return series.point(series.size - 1).second; }

// For each pixel column with points: its largest value, so that no peak is lost, and its last
// value, which lasts until the next column with a point:
//
//   points (0, 1) (100, 5) (100.001, 1) (1000, 1)       5 |    |          a spike, no plateau
//   out    (0, 1) (100, 5) (100, 1) (1000, 1)           1 |----|------
//
// The last value continues to the end of the axis. A column gives at most two points. O(points), in
// one pass.
std::vector<std::pair<double, double>> Thin(const StepSeries& series, const Frame& frame) {
  std::vector<std::pair<double, double>> out;
  double pixel = -1, most = 0, last = 0;
  const auto end_column = [&] {
    if (last < most) out.emplace_back(pixel, last);
  };
  for (std::size_t i = 0; i < series.size; ++i) {
    const auto [time, value] = series.point(i);
    const double x = std::floor(frame.X(static_cast<double>(time)));
    if (x != pixel || out.empty()) {
      end_column();
      out.emplace_back(x, value);
      pixel = x;
      most = value;
    } else if (value > most) {
      most = value;
      out.back().second = most;
    }
    last = value;
  }
  end_column();
  if (!out.empty()) out.emplace_back(frame.X(frame.last), LastValue(series));
  return out;
}

// A path of level and upright lines, because a value lasts until the next one. Differences below a
// tenth of a pixel are omitted. REQUIRES: the series has a point.
//   value   |      +--+           M x0 y0  H x1 V y1  H x2 V y2 …
//           |   +--+  |
//           |---+     +---
std::string PathOf(const StepSeries& series, const Frame& frame) {
  const auto points = Thin(series, frame);
  std::string path;
  double last_y = -1;
  for (const auto& [x, value] : points) {
    const double y = frame.Y(value);
    if (path.empty()) {
      path = fmt::format("M{} {}", SvgNumber(x), SvgNumber(y));
    } else if (std::abs(y - last_y) >= 0.1) {
      path += fmt::format("H{}V{}", SvgNumber(x), SvgNumber(y));
    }
    last_y = y;
  }
  path += fmt::format("H{}", SvgNumber(points.back().first));
  if (series.filled) {
    path += fmt::format("V{}H{}z", SvgNumber(frame.Y(0)), SvgNumber(points.front().first));
  }
  return path;
}

void DrawAxes(const StepChart& chart, const Frame& frame, std::string& out) {
  const double step = SvgAxisStep(frame.top);
  for (double value = 0; value <= frame.top * 1.0001; value += step) {
    const std::string y = SvgNumber(frame.Y(value));
    out += fmt::format(
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{} {}H{}\"/><text class=\"ink\" fill=\"#444\" "
        "x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        SvgNumber(kLeft), y, SvgNumber(kLeft + frame.width), SvgNumber(kLeft - 6),
        SvgNumber(frame.Y(value) + 4), EscapeHtml(chart.value_text(value)));
  }
  const double span = frame.last - frame.first, time_step = SvgAxisStep(span);
  // Labels are at round times, wherever the curve starts.
  const double before = std::ceil(frame.first / time_step) * time_step;
  for (double time = before - frame.first; time <= span * 1.0001; time += time_step) {
    out += fmt::format(
        "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        SvgNumber(frame.X(frame.first + time)), chart.height - 6,
        EscapeHtml(chart.time_text(frame.first + time)));
  }
}

// Draws labels at the right. Labels that would overlap are moved apart.
void DrawLabels(const StepChart& chart, const Frame& frame, std::string& out) {
  std::vector<std::pair<double, std::string>> labels;
  for (const ChartLine& line : chart.lines) {
    const double y = frame.Y(line.value);
    out += fmt::format(
        "<path class=\"rule\" stroke=\"#222\" stroke-dasharray=\"5 4\" d=\"M{} {}H{}\"/>",
        SvgNumber(kLeft), SvgNumber(y), SvgNumber(kLeft + frame.width));
    labels.emplace_back(y + 4, line.label);
  }
  for (const StepSeries& series : chart.series) {
    if (series.size > 0) labels.emplace_back(frame.Y(LastValue(series)) + 4, series.name);
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  double y = 0;
  for (const auto& [at, text] : labels) {
    y = std::max(y + 14, at);
    out += fmt::format("<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\">{}</text>",
                       SvgNumber(kLeft + frame.width + 6), SvgNumber(y), EscapeHtml(text));
  }
}

}  // namespace

std::string SvgSteps(const StepChart& chart) {
  Frame frame;
  frame.first = std::numeric_limits<double>::infinity();
  frame.last = -frame.first;
  frame.top = 0;
  for (const StepSeries& series : chart.series) {
    for (std::size_t i = 0; i < series.size; ++i) {
      const auto [time, value] = series.point(i);
      frame.first = std::min(frame.first, static_cast<double>(time));
      frame.last = std::max(frame.last, static_cast<double>(time));
      frame.top = std::max(frame.top, value);
    }
  }
  if (!(frame.last > frame.first)) return {};
  for (const ChartLine& line : chart.lines) frame.top = std::max(frame.top, line.value);
  if (!(frame.top > 0)) frame.top = 1;
  frame.width = chart.width - kLeft - kRight;
  frame.height = chart.height - kTop - kBottom;
  std::string out = SvgOpen(chart.width, chart.height, chart.description, "chart");
  DrawAxes(chart, frame, out);
  for (const StepSeries& series : chart.series) {
    if (series.size == 0) continue;
    const std::string_view form =
        series.filled ? "<path class=\"{0}\" fill=\"{1}\" d=\"{2}\"><title>{3}</title></path>"
                      : "<path class=\"{0} line\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\" "
                        "d=\"{2}\"><title>{3}</title></path>";
    out += fmt::format(fmt::runtime(form), series.paint.name, series.paint.fill,
                       PathOf(series, frame), EscapeHtml(series.name));
  }
  DrawLabels(chart, frame, out);
  // A hidden rectangle has the axes, so that scripts can show values and select ranges.
  out += fmt::format(
      "<rect class=\"plot\" fill=\"none\" pointer-events=\"none\" x=\"{}\" y=\"{}\" width=\"{}\" "
      "height=\"{}\" data-from=\"{:.0f}\" data-to=\"{:.0f}\" data-top=\"{:.0f}\"/>",
      SvgNumber(kLeft), SvgNumber(kTop), SvgNumber(frame.width), SvgNumber(frame.height),
      frame.first, frame.last, frame.top);
  return out + "</svg>";
}

}  // namespace profgauge::render
