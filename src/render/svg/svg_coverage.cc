#include "render/svg/svg_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/format.h"
#include "render/shared/escape.h"

#include "render/svg/svg_outline.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr int kLeft = 150, kRight = 100, kTop = 22;
constexpr int kUpper = 30, kLower = 16, kBetween = 3, kRow = kUpper + kBetween + kLower + 12;
constexpr int kWidest = 5;          // Most pixels of a column.
constexpr std::size_t kStripe = 6;  // Columns between the stripes of a hatched part.

class CoverageDrawing {
 public:
  CoverageDrawing(const CoverageChart& chart, int column) : chart_(chart), column_(column) {}

  std::string Run() {
    const int height = kTop + kRow * static_cast<int>(chart_.rows.size()) - 8;
    // Stretched in a narrow window, which has no space for its texts, so that lanes keep their
    // height.
    out_ = SvgOpen(kLeft + chart_.columns + kRight, height, chart_.description, "chart",
                   " preserveAspectRatio=\"none\"");
    DrawAxis(height);
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) DrawRow(chart_.rows[i], Top(i));
    DrawJoins();
    return out_ + "</svg>";
  }

 private:
  static int Top(std::size_t row) { return kTop + kRow * static_cast<int>(row); }

  double X(Ns at) const {
    return kLeft + chart_.columns * static_cast<double>(at) / static_cast<double>(chart_.length);
  }

  void DrawAxis(int height) {
    const auto span = static_cast<double>(chart_.length);
    const double step = SvgAxisStep(span);
    for (double at = 0; at <= span; at += step) {
      const std::string x = SvgNumber(X(static_cast<Ns>(at)));
      out_ += fmt::format(
          "<path class=\"grid\" stroke=\"#ccc\" d=\"M{0} {1}V{2}\"/><text class=\"ink\" "
          "fill=\"#444\" x=\"{0}\" y=\"11\" text-anchor=\"middle\">{3}</text>",
          x, kTop - 5, height, at > 0 ? EscapeHtml(FormatDuration(at)) : "0");
    }
  }

  void DrawRow(const CoverageRow& row, int top) {
    out_ += fmt::format(
        "<text class=\"name\" fill=\"#111\" font-weight=\"600\" x=\"{}\" y=\"{}\" "
        "text-anchor=\"end\">{}</text>",
        kLeft - 8, top + 8, EscapeHtml(row.name));
    DrawLane(row, row.upper, top, kUpper);
    const int middle = top + kUpper + kBetween;
    DrawLane(row, row.lower, middle, kLower);
    const auto text = [&](const std::string& words, int y, bool right, std::string_view look) {
      out_ += fmt::format("<text {} x=\"{}\" y=\"{}\"{}>{}</text>", look,
                          right ? kLeft + chart_.columns + 8 : kLeft - 8, y,
                          right ? "" : " text-anchor=\"end\"", EscapeHtml(words));
    };
    constexpr std::string_view kSoft = "class=\"ink\" fill=\"#444\"";
    text(row.upper.label, top + 26, false, kSoft);
    text(row.lower.label, middle + 12, false, kSoft);
    text(row.upper.number, top + 20, true,
         "class=\"name\" fill=\"#111\" font-weight=\"600\" font-size=\"14\"");
    text(row.lower.number, middle + 12, true, kSoft);
  }

  // Draws the ground, except where nothing was observed, and then the parts' outlines, top first.
  void DrawLane(const CoverageRow& row, const CoverageLane& lane, int y, int height) {
    out_ +=
        fmt::format("<g data-lane=\"{}\" data-rank=\"{}\" data-share=\"{:.4f}\"><title>{}</title>",
                    lane.id, row.rank, lane.share, EscapeHtml(lane.title));
    const double left = X(row.begin), width = X(row.begin + row.length) - left;
    double from = left;
    const auto ground = [&](double to) {
      if (!(to > from)) return;
      out_ += fmt::format(
          "<rect class=\"ground\" fill=\"#eceff3\" data-ground=\"\" x=\"{}\" y=\"{}\" width=\"{}\" "
          "height=\"{}\"/>",
          SvgNumber(from), y, SvgNumber(to - from), height);
    };
    for (const Span blank : row.blank) {
      ground(X(blank.start));
      from = std::max(from, X(blank.end));
    }
    ground(left + width);
    DrawParts(lane, left, width, y + height, height);
    out_ += "</g>";
  }

  void DrawParts(const CoverageLane& lane, double left, double width, int bottom, int height) {
    std::vector<std::vector<double>> heights;
    for (const CoveragePart& part : lane.parts) heights.push_back(Wider(part.heights));
    if (heights.empty() || heights.front().empty()) return;
    const std::vector<std::vector<int>> edges = StackOutlines(heights);
    const auto move = fmt::format(
        "<g transform=\"translate({} {})scale({:.6g} {:.6g})\">", SvgNumber(left), bottom,
        width / static_cast<double>(heights.front().size()), height / double{kOutlineSteps});
    std::string paths;
    for (std::size_t i = edges.size(); i-- > 0;) {
      const CoveragePart& part = lane.parts[i];
      const std::string path = OutlinePath(edges[i]);
      if (path.empty()) continue;
      paths += fmt::format("<path class=\"{}\" fill=\"{}\" d=\"{}\"/>", part.paint.name,
                           part.paint.fill, path);
      if (part.hatched) paths += Stripes(edges[i], i == 0 ? nullptr : &edges[i - 1]);
    }
    if (!paths.empty()) out_ += move + paths + "</g>";
  }

  // Narrow gaps over a hatched part, which distinguish the part without color.
  std::string Stripes(const std::vector<int>& edges, const std::vector<int>* below) const {
    const std::size_t each = std::max<std::size_t>(2, kStripe / static_cast<std::size_t>(column_));
    std::string path;
    for (std::size_t x = each / 2; x < edges.size(); x += each) {
      const int bottom = below == nullptr ? 0 : (*below)[x];
      if (edges[x] > bottom) path += fmt::format("M{} {}V{}h1V{}", x, -bottom, -edges[x], -bottom);
    }
    if (path.empty()) return {};
    return fmt::format(
        "<path class=\"stripes\" fill=\"#eceff3\" pointer-events=\"none\" d=\"{}\"/>", path);
  }

  // Averages neighboring columns, so that each new column is `column_` wide.
  std::vector<double> Wider(const std::vector<double>& values) const {
    if (column_ == 1) return values;
    const std::size_t count =
        std::max<std::size_t>(1, values.size() / static_cast<std::size_t>(column_));
    const double each = static_cast<double>(values.size()) / static_cast<double>(count);
    std::vector<double> out(count, 0);
    for (std::size_t x = 0; x < values.size(); ++x) {
      // Column x of the old ones overlaps one or two new columns.
      const auto begin = static_cast<double>(x);
      const std::size_t first = std::min(count - 1, static_cast<std::size_t>(begin / each));
      const double edge = std::min(each * static_cast<double>(first + 1), begin + 1);
      out[first] += values[x] * (edge - begin) / each;
      if (edge < begin + 1 && first + 1 < count)
        out[first + 1] += values[x] * (begin + 1 - edge) / each;
    }
    return out;
  }

  void DrawJoins() {
    std::string path;
    for (const CoverageJoin& join : chart_.joins) {
      const int from = Top(join.row) + kUpper + kBetween + kLower;
      path += fmt::format("M{} {}L{} {}", SvgNumber(X(join.from)), from, SvgNumber(X(join.to)),
                          Top(join.row + 1));
    }
    if (path.empty()) return;
    out_ +=
        fmt::format("<path class=\"rule\" stroke=\"#222\" stroke-opacity=\".6\" d=\"{}\"/>", path);
  }

  const CoverageChart& chart_;
  int column_;
  std::string out_;
};

}  // namespace

std::string SvgCoverage(const CoverageChart& chart) {
  if (chart.rows.empty() || chart.length <= 0) return {};
  std::string svg;
  for (int column = 1; column <= kWidest; ++column) {
    svg = CoverageDrawing(chart, column).Run();
    if (svg.size() <= chart.most_bytes) break;
  }
  return svg;
}

}  // namespace profgauge::render
