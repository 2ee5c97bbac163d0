#include "render/svg/svg_overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "render/shared/escape.h"
#include "render/shared/words.h"
#include "render/svg/svg_outline.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr int kLeft = 180, kTop = 22, kLane = 18, kGap = 3;
constexpr int kBin = 3;          // Pixels of one bin.
constexpr double kLetter = 7.4;  // Width of a letter in labels.
constexpr std::size_t kLeastLetters = 8;

struct Scale {
  Ns begin = 0;
  double pixels_per_ns = 0;
  double X(Ns at) const { return kLeft + static_cast<double>(at - begin) * pixels_per_ns; }
};

// For each paint, the share of each bin (kBin pixels) that it covers. Without bins, a lane of a
// million kernels would be a million rectangles, mostly on the same pixels.
//
//   events   |aaaaaaa|bb|aaa|       |c|
//   bins     [  1  ][ .3 ][ 1 ][ 0 ][.4]     of `a`, `a`, `a`, nothing and `c`
std::vector<std::vector<double>> Bins(const OverviewLane& lane, const OverviewChart& chart,
                                      const Scale& scale, std::size_t count) {
  std::vector<std::vector<double>> cover(chart.paints.size(), std::vector<double>(count, 0));
  for (const OverviewEvent& event : lane.events) {
    const double from = scale.X(std::max(event.start, chart.begin)) - kLeft;
    const double to = std::max(scale.X(std::min(event.end, chart.end)) - kLeft, from);
    const auto last = std::min(count - 1, static_cast<std::size_t>(to / kBin));
    for (auto bin = static_cast<std::size_t>(from / kBin); bin <= last; ++bin) {
      const double left = static_cast<double>(bin) * kBin;
      cover[event.paint][bin] += (std::min(to, left + kBin) - std::max(from, left)) / kBin;
    }
  }
  return cover;
}

// Draws one outline for each color of the lane, upper ones first.
void DrawLane(const OverviewChart& chart, const std::vector<std::vector<double>>& bins, int y,
              std::string& out) {
  constexpr int kHeight = kLane - kGap;
  const std::vector<std::vector<int>> edges = StackOutlines(bins, kHeight);
  out += fmt::format("<g transform=\"translate({} {})scale({} 1)\">", kLeft, y + kHeight, kBin);
  for (std::size_t paint = edges.size(); paint-- > 0;) {
    const bool is_seen = std::ranges::any_of(bins[paint], [](double part) { return part > 0; });
    const std::string path = is_seen ? OutlinePath(edges[paint]) : std::string();
    if (path.empty()) continue;
    out += fmt::format("<path class=\"{}\" fill=\"{}\" d=\"{}\"/>", chart.paints[paint].name,
                       chart.paints[paint].fill, path);
  }
  out += "</g>";
}

void DrawNames(const OverviewChart& chart, const OverviewLane& lane, const Scale& scale, int y,
               std::string& out) {
  for (const OverviewEvent& event : lane.events) {
    const double from = scale.X(std::max(event.start, chart.begin));
    const double to = scale.X(std::min(event.end, chart.end));
    const auto letters = static_cast<std::size_t>(std::max(0.0, (to - from - 6) / kLetter));
    const bool is_short = event.name.size() < kLeastLetters;
    if (letters < (is_short ? event.name.size() : kLeastLetters) || event.name.empty()) continue;
    out += fmt::format("<text class=\"on-{}\" fill=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
                       chart.paints[event.paint].name, chart.paints[event.paint].ink,
                       SvgNumber(from + 4), y + 11, EscapeHtml(ElideMiddle(event.name, letters)));
  }
}

void DrawAxis(const OverviewChart& chart, const Scale& scale, int height, std::string& out) {
  const auto span = static_cast<double>(chart.end - chart.begin);
  const double step = SvgAxisStep(span);
  for (double at = 0; at <= span; at += step) {
    const std::string x = SvgNumber(scale.X(chart.begin + static_cast<Ns>(at)));
    out += fmt::format(
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{} {}V{}\"/><text class=\"ink\" fill=\"#444\" "
        "x=\"{}\" y=\"12\" text-anchor=\"middle\">{}</text>",
        x, kTop - 4, height, x, EscapeHtml(FormatDuration(at)));
  }
}

}  // namespace

//         0 ms        10 ms       20 ms          times from the chart's start
//   name  |## gemm ##|  |###|  |####|            a lane
//         |####|        |##|                     continues it, so it has no name
std::string SvgOverview(const OverviewChart& chart) {
  if (chart.end <= chart.begin || chart.lanes.empty()) return {};
  constexpr int kRight = 30;
  const int plot = chart.width - kLeft - kRight;
  const Scale scale{chart.begin, plot / static_cast<double>(chart.end - chart.begin)};
  const int height = kTop + static_cast<int>(chart.lanes.size()) * kLane + 4;
  std::string out = SvgOpen(chart.width, height, chart.description, "chart");
  DrawAxis(chart, scale, height, out);
  int y = kTop;
  for (const OverviewLane& lane : chart.lanes) {
    constexpr std::size_t kNameLetters = 24;
    if (!lane.name.empty()) {
      out += fmt::format(
          "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
          kLeft - 8, y + 11, EscapeHtml(ElideMiddle(lane.name, kNameLetters)));
    }
    DrawLane(chart, Bins(lane, chart, scale, static_cast<std::size_t>(plot / kBin)), y, out);
    DrawNames(chart, lane, scale, y, out);
    y += kLane;
  }
  return out + "</svg>";
}

}  // namespace profgauge::render
