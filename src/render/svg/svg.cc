#include "render/svg/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "base/format.h"
#include "render/shared/change.h"
#include "render/shared/escape.h"
#include "render/shared/words.h"
#include "render/svg/svg_outline.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {

// Goes through the edges from the top down, so that no edge is above one that covers it.
std::vector<std::vector<int>> StackOutlines(std::span<const std::vector<double>> heights,
                                            int steps) {
  std::vector<std::vector<int>> edges(heights.size());
  if (heights.empty()) return edges;
  std::vector<int> above(heights.front().size(), steps);
  for (std::size_t part = heights.size(); part-- > 0;) {
    double carried = 0;
    for (std::size_t x = 0; x < above.size(); ++x) {
      double sum = 0;
      for (std::size_t k = 0; k <= part; ++k) sum += heights[k][x];
      const double wanted = sum * steps;
      const double due = wanted + (std::abs(carried) >= 1 ? carried : 0);
      above[x] = std::clamp(static_cast<int>(std::lround(due)), 0, above[x]);
      carried += wanted - above[x];
    }
    edges[part] = above;
  }
  return edges;
}

std::string OutlinePath(std::span<const int> edges, double unit) {
  std::string path;
  int height = 0;
  std::size_t run = 0;
  for (std::size_t x = 0; x < edges.size(); ++x, ++run) {
    if (edges[x] == height) continue;
    if (run > 0) path += fmt::format("h{}", run);
    path += "v" + SvgNumber((height - edges[x]) * unit);
    height = edges[x];
    run = 0;
  }
  if (path.empty()) return {};
  return fmt::format("M0 0{}h{}V0z", path, run);
}

// The waterfall chart: a bar for the base, one for each changed category, which starts where the
// bar before it ends, and one for the current run. Sign, arrow and position show the direction;
// color only repeats it.

namespace {

constexpr double kWidth = 900, kRow = 30, kBar = 18, kLeft = 210, kRight = 120, kTop = 8;
constexpr std::size_t kNameCharacters = 26;

// Converts a time to a position. Not from 0, where small changes would be invisible.
class Scale {
 public:
  explicit Scale(const std::vector<ChangeBar>& bars) {
    double low = 1e300, high = 0;
    for (const ChangeBar& bar : bars) {
      high = std::max({high, static_cast<double>(bar.from), static_cast<double>(bar.to)});
      low = std::min(low, static_cast<double>(bar.to));
      if (!bar.is_total) low = std::min(low, static_cast<double>(bar.from));
    }
    constexpr double kLeastRange = 0.25, kRoom = 0.4;
    if (high > 0 && high - low < kLeastRange * high) start_ = low - kRoom * (high - low);
    end_ = std::max(high, start_ + 1);
  }
  double At(double time) const {
    const double share = (std::max(time, start_) - start_) / (end_ - start_);
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  double start() const { return start_; }

 private:
  double start_ = 0, end_ = 1;
};

std::string Number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string LabelOf(const ChangeBar& bar) {
  if (bar.is_total) return FormatDuration(static_cast<double>(bar.to));
  return (bar.to > bar.from ? "▲ " : "▼ ") + DeltaText(bar.to - bar.from);
}

std::string DrawBar(const ChangeBar& bar, const Scale& scale, double y) {
  const auto from = static_cast<double>(bar.is_total ? 0 : std::min(bar.from, bar.to));
  const auto to = static_cast<double>(std::max(bar.from, bar.to));
  const double x = scale.At(from);
  const double width = std::max(1.0, scale.At(to) - x);
  const std::string_view name = bar.is_total ? "k-ot" : bar.to > bar.from ? "k-up" : "k-dn";
  const std::string_view fill = bar.is_total        ? "#B3B3B3"
                                : bar.to > bar.from ? "#D55E00"
                                                    : "#0072B2";
  return fmt::format(
      "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
      "<rect class=\"{}\" fill=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">"
      "<title>{}: {}</title></rect>"
      "<text class=\"halo\" fill=\"#222\" x=\"{}\" y=\"{}\">{}</text>",
      Number(kLeft - 8), Number(y + 14), EscapeHtml(ElideMiddle(bar.title, kNameCharacters)), name,
      fill, Number(x), Number(y), Number(width), Number(kBar), EscapeHtml(bar.title), LabelOf(bar),
      Number(x + width + 6), Number(y + 14), LabelOf(bar));
}

}  // namespace

// A thin line leads from the end of each bar to the start of the next:
//
//   before      |================|
//   data loader             |####|   ▼
//   kernels                 |##|     ▲
//   after       |==============|
std::string SvgWaterfall(const report::Comparison& comparison) {
  const std::vector<ChangeBar> bars = WaterfallBars(comparison);
  if (bars.size() < 3) return {};
  const Scale scale(bars);
  const double foot = scale.start() > 0 ? 20 : 0;
  const double height = kTop + kRow * static_cast<double>(bars.size()) + foot;
  std::string description =
      fmt::format("Waterfall from {} to {}", LabelOf(bars.front()), LabelOf(bars.back()));
  for (std::size_t i = 1; i + 1 < bars.size(); ++i) {
    description += fmt::format("; {} {}", bars[i].title, DeltaText(bars[i].to - bars[i].from));
  }
  std::string out = fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-label=\"{0}\" width=\"{1}\" height=\"{2}\" "
      "viewBox=\"0 0 {1} {2}\">",
      EscapeHtml(description), Number(kWidth), Number(height));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = kTop + kRow * static_cast<double>(i);
    if (i + 1 < bars.size()) {
      out += fmt::format("<path class=\"grid\" stroke=\"#999\" d=\"M{} {}V{}\"/>",
                         Number(scale.At(static_cast<double>(bars[i].to))), Number(y + kBar),
                         Number(y + kRow));
    }
    out += DrawBar(bars[i], scale, y);
  }
  if (scale.start() > 0) {
    out += fmt::format(
        "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\">the axis begins at {}, not at "
        "0</text>",
        Number(kLeft), Number(height - 6), FormatDuration(scale.start()));
  }
  return out + "</svg>";
}

std::string SvgNumber(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string SvgOpen(int width, int height, std::string_view description, std::string_view name,
                    std::string_view more) {
  return fmt::format(
      "<svg class=\"{}\" role=\"img\" aria-label=\"{}\" width=\"{}\" height=\"{}\" "
      "viewBox=\"0 0 {} {}\"{}>",
      name, EscapeHtml(description), width, height, width, height, more);
}

double SvgAxisStep(double top) {
  const double rough = top / 4;
  const double magnitude = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * magnitude >= rough) return factor * magnitude;
  }
  return 10 * magnitude;
}

namespace {

// The plot in the page: the value `scale_top` is at its upper edge, and 0 at its lower edge.
struct Plot {
  double left = 64, right = 8, top = 22, bottom = 22;
  double width = 0, height = 0, scale_top = 1;

  double Y(double value) const { return top + height * (1 - value / scale_top); }
  double X(std::size_t index, std::size_t count) const {
    return left + width * static_cast<double>(index) / static_cast<double>(count);
  }
};

// The value of the upper edge is that of the highest column or line.
Plot MakePlot(const ColumnChart& chart) {
  double top = 0;
  for (const ChartColumn& column : chart.columns) {
    double sum = 0;
    for (const double value : column.values) sum += value;
    top = std::max(top, sum);
  }
  for (const ChartLine& line : chart.lines) top = std::max(top, line.value);
  Plot plot;
  if (!chart.lines.empty()) plot.right = 110;  // Space for their labels.
  plot.width = chart.width - plot.left - plot.right;
  plot.height = chart.height - plot.top - plot.bottom;
  plot.scale_top = top > 0 ? top : 1;
  return plot;
}

void DrawAxis(const ColumnChart& chart, const Plot& plot, std::string& out) {
  const double step = SvgAxisStep(plot.scale_top);
  for (double value = 0; value <= plot.scale_top * 1.0001; value += step) {
    const std::string y = SvgNumber(plot.Y(value));
    fmt::format_to(
        std::back_inserter(out),
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{} {}H{}\"/><text class=\"ink\" "
        "fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        SvgNumber(plot.left), y, SvgNumber(plot.left + plot.width), SvgNumber(plot.left - 6),
        SvgNumber(plot.Y(value) + 4),
        EscapeHtml(chart.axis_text == nullptr ? SvgNumber(value) : chart.axis_text(value)));
  }
}

// Draws one path for each series, so that a hundred columns of nine parts need only a few kB.
void DrawSeries(const ColumnChart& chart, const Plot& plot, bool shaded, std::string& out) {
  const std::size_t count = chart.columns.size();
  const double gap = plot.width / static_cast<double>(count) > 4 ? 1 : 0;
  for (std::size_t series = 0; series < chart.series.size(); ++series) {
    std::string path;
    for (std::size_t i = 0; i < count; ++i) {
      const ChartColumn& column = chart.columns[i];
      if (column.shaded != shaded || series >= column.values.size()) continue;
      double below = 0;
      for (std::size_t k = 0; k < series; ++k) below += column.values[k];
      const double y0 = plot.Y(below), y1 = plot.Y(below + column.values[series]);
      if (y0 - y1 < 0.1) continue;
      const double x0 = plot.X(i, count), x1 = plot.X(i + 1, count) - gap;
      path += fmt::format("M{} {}H{}V{}H{}z", SvgNumber(x0), SvgNumber(y0), SvgNumber(x1),
                          SvgNumber(y1), SvgNumber(x0));
    }
    if (path.empty()) continue;
    const Paint& paint = chart.series[series];
    out += fmt::format("<path class=\"{}\" fill=\"{}\"{} d=\"{}\"/>", paint.name, paint.fill,
                       shaded ? " opacity=\"0.35\"" : "", path);
  }
}

// Draws triangles above outliers, names if each has 56 pixels, and invisible boxes that have the
// hover texts.
void DrawMarks(const ColumnChart& chart, const Plot& plot, std::string& out) {
  const std::size_t count = chart.columns.size();
  const auto label_every = static_cast<std::size_t>(
      std::ceil(static_cast<double>(count) * 56 / std::max(plot.width, 1.0)));
  for (std::size_t i = 0; i < count; ++i) {
    const ChartColumn& column = chart.columns[i];
    const double x0 = plot.X(i, count), x1 = plot.X(i + 1, count), middle = (x0 + x1) / 2;
    double sum = 0;
    for (const double value : column.values) sum += value;
    if (column.marked) {
      out += fmt::format("<path class=\"bad\" fill=\"#b00020\" d=\"M{} {}l-5 -8h10z\"/>",
                         SvgNumber(middle), SvgNumber(plot.Y(sum) - 2));
    }
    if (i % std::max<std::size_t>(label_every, 1) == 0) {
      out += fmt::format(
          "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
          SvgNumber(middle), chart.height - 6, EscapeHtml(column.name));
    }
    if (!column.title.empty() && count <= 120) {
      out += fmt::format(
          "<rect class=\"hit\" fill=\"none\" pointer-events=\"all\" x=\"{}\" y=\"{}\" width=\"{}\" "
          "height=\"{}\"><title>{}</title></rect>",
          SvgNumber(x0), SvgNumber(plot.top), SvgNumber(x1 - x0), SvgNumber(plot.height),
          EscapeHtml(column.title));
    }
  }
}

// Draws lines with labels at the right. Labels that would overlap are moved apart.
void DrawLines(const ColumnChart& chart, const Plot& plot, std::string& out) {
  std::vector<ChartLine> lines = chart.lines;
  std::sort(lines.begin(), lines.end(),
            [](const ChartLine& a, const ChartLine& b) { return a.value > b.value; });
  double label_y = -1e9;
  for (const ChartLine& line : lines) {
    const double y = plot.Y(line.value), right = plot.left + plot.width;
    label_y = std::max(label_y + 14, y + 4);
    out += fmt::format(
        "<path class=\"rule\" stroke=\"#222\" stroke-dasharray=\"5 4\" d=\"M{} {}H{}\"/>"
        "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\">{}</text>",
        SvgNumber(plot.left), SvgNumber(y), SvgNumber(right), SvgNumber(right + 6),
        SvgNumber(label_y), EscapeHtml(line.label));
  }
}

}  // namespace

std::string SvgSwatch(const Paint& paint, bool hatched) {
  return fmt::format(
      "<svg class=\"swatch\" width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"{}\" "
      "fill=\"{}\" width=\"12\" height=\"12\" rx=\"2\"/>{}</svg>",
      paint.name, paint.fill,
      hatched ? "<path class=\"stripes\" fill=\"#eceff3\" d=\"M3 0h2v12h-2zM8 0h2v12h-2z\"/>" : "");
}

std::string SvgStackedBar(const std::vector<BarPart>& parts, int width, int height,
                          std::string_view description, Hover hover) {
  const bool each = hover == Hover::kEachPart;
  std::string out, labels;
  double x = 0;
  for (const BarPart& part : parts) {
    const double w = part.share * width;
    if (!(w > 0)) continue;
    if (each) {
      fmt::format_to(std::back_inserter(out),
                     "<rect class=\"{}\" fill=\"{}\" x=\"{}\" width=\"{}\" height=\"{}\"><title>{}"
                     "</title></rect>",
                     part.paint.name, part.paint.fill, SvgNumber(x), SvgNumber(w), height,
                     EscapeHtml(part.title));
    } else {
      fmt::format_to(std::back_inserter(out),
                     "<path class=\"{}\" fill=\"{}\" d=\"M{:.0f} 0H{:.0f}V{}H{:.0f}\"/>",
                     part.paint.name, part.paint.fill, x, std::max(x + w, x + 1), height, x);
    }
    // A character has about 7 pixels if the font has 12 px.
    if (!part.label.empty() && w > 10 + 6.5 * static_cast<double>(part.label.size())) {
      fmt::format_to(std::back_inserter(labels),
                     "<text class=\"on-{}\" fill=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
                     part.paint.name, part.paint.ink, SvgNumber(x + w / 2),
                     SvgNumber(height / 2.0 + 4), EscapeHtml(part.label));
    }
    x += w;
  }
  // An attribute by which a picture fills the width of its container, at any height.
  constexpr std::string_view kStretched = " preserveAspectRatio=\"none\"";
  const std::string open =
      each
          ? SvgOpen(width, height, description, "bar", kStretched)
          : fmt::format("<svg class=\"bar\" role=\"img\"{} viewBox=\"0 0 {} {}\"><title>{}</title>",
                        kStretched, width, height, EscapeHtml(description));
  if (!labels.empty()) {
    out += "<g text-anchor=\"middle\" pointer-events=\"none\">" + labels + "</g>";
  }
  return open + out + "</svg>";
}

std::string SvgWaterfallBar(const WaterfallBar& bar, int width, int height) {
  constexpr int kInset = 5;
  const auto x = [width](double at) { return std::clamp(at, 0.0, 1.0) * width; };
  const double from = x(bar.from), to = std::max(x(bar.to), from);
  std::string out = fmt::format(
      "<svg class=\"fall\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"grid\" stroke=\"#ccc\" "
      "d=\"M{2} 0v{1}M{3} 0v{1}\"/>",
      width, height, SvgNumber(from), SvgNumber(to));
  if (bar.reaches) {
    out += fmt::format("<path class=\"{} reach\" stroke=\"{}\" d=\"M{} {}H{}\"/>", bar.paint.name,
                       bar.paint.fill, SvgNumber(x(*bar.reaches)), SvgNumber(height / 2.0),
                       SvgNumber(from));
  }
  out +=
      fmt::format("<rect class=\"{}\" fill=\"{}\"{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                  bar.paint.name, bar.paint.fill, bar.pale ? " opacity=\".55\"" : "",
                  SvgNumber(from), kInset, SvgNumber(to - from), height - 2 * kInset);
  if (bar.mark) {
    out +=
        fmt::format("<path class=\"floor\" stroke=\"#d9480f\" stroke-width=\"2\" d=\"M{} 1V{}\"/>",
                    SvgNumber(x(*bar.mark)), height - 1);
  }
  return out + "</svg>";
}

std::string SvgColumns(const ColumnChart& chart) {
  if (chart.columns.empty()) return {};
  std::string out = SvgOpen(chart.width, chart.height, chart.description, "chart");
  const Plot plot = MakePlot(chart);
  DrawAxis(chart, plot, out);
  DrawSeries(chart, plot, false, out);
  DrawSeries(chart, plot, true, out);
  DrawLines(chart, plot, out);
  DrawMarks(chart, plot, out);
  return out + "</svg>";
}

// Ticks stay within the bar, because half of their width would be clipped at its ends.
std::string SvgMeter(const Meter& meter) {
  constexpr int kWidth = 120, kHeight = 14;
  const double scale = meter.scale > 0 ? meter.scale : 1;
  const auto at = [&](double value) { return std::clamp(value / scale, 0.0, 1.0) * kWidth; };
  std::string ticks;
  for (const double limit : {meter.limit, meter.other_limit}) {
    if (limit < 0) continue;
    ticks += fmt::format("<path class=\"tick\" stroke=\"#222\" stroke-width=\"2\" d=\"M{} 0V14\"/>",
                         SvgNumber(std::clamp(at(limit), 1.0, kWidth - 1.0)));
  }
  return SvgOpen(kWidth, kHeight, meter.description, "meter") +
         fmt::format(
             "<rect class=\"track\" fill=\"#ddd\" y=\"3\" width=\"{}\" height=\"8\"/><rect "
             "class=\"{}\" fill=\"{}\" y=\"3\" width=\"{}\" height=\"8\"/>{}</svg>",
             kWidth, meter.paint.name, meter.paint.fill, SvgNumber(at(meter.value)), ticks);
}

}  // namespace profgauge::render
