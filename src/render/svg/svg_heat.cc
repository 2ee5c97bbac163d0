#include "render/svg/svg_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "render/shared/escape.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr std::size_t kLevels = 8;
constexpr std::size_t kTitles = 24;  // For the largest: 100 bytes each.
constexpr double kLeft = 112, kRight = 96, kTop = 4, kBottom = 20;

std::string Label(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format(
      "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\"{}>{}</text>", SvgNumber(x), SvgNumber(y),
      anchor.empty() ? "" : fmt::format(" text-anchor=\"{}\"", anchor), EscapeHtml(text));
}

// Names are written only at each multiple of this number, so that each has `room` pixels.
std::size_t Every(double pixels_each, double room) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(room / std::max(pixels_each, 0.01))));
}

struct Grid {
  double cell = 0, row = 0;
  double X(std::size_t column) const { return kLeft + cell * static_cast<double>(column); }
  double Y(std::size_t at) const { return kTop + row * static_cast<double>(at); }
};

std::string CellPath(const Grid& grid, std::size_t at, std::size_t columns) {
  // Neighboring cells share edges, so that rounding leaves no gaps.
  const std::size_t row = at / columns, column = at % columns;
  const double gap = grid.cell > 6 ? 1 : 0, below = grid.row > 6 ? 1 : 0;
  return fmt::format("M{} {}H{}V{}H{}z", SvgNumber(grid.X(column)), SvgNumber(grid.Y(row)),
                     SvgNumber(grid.X(column + 1) - gap), SvgNumber(grid.Y(row + 1) - below),
                     SvgNumber(grid.X(column)));
}

double OpacityOf(std::size_t level) {
  return static_cast<double>(level + 1) / static_cast<double>(kLevels);
}

// Draws one path for each strength: eight elements instead of tens of thousands of cells.
void DrawCells(const HeatChart& chart, const Grid& grid, double most, std::string& out) {
  std::array<std::string, kLevels> paths;
  for (std::size_t i = 0; i < chart.values.size(); ++i) {
    const double value = chart.values[i];
    if (!(value > 0)) continue;
    const double level = std::ceil(value / most * static_cast<double>(kLevels)) - 1;
    paths[static_cast<std::size_t>(std::clamp(level, 0.0, kLevels - 1.0))] +=
        CellPath(grid, i, chart.columns.size());
  }
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (paths[level].empty()) continue;
    out += fmt::format("<path class=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\" d=\"{}\"/>",
                       chart.paint.name, chart.paint.fill, OpacityOf(level), paths[level]);
  }
}

// Adds hover texts to the largest cells.
void DrawTitles(const HeatChart& chart, const Grid& grid, std::string& out) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < chart.values.size(); ++i) {
    if (chart.values[i] > 0) order.push_back(i);
  }
  const std::size_t shown = std::min(order.size(), kTitles);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return chart.values[a] != chart.values[b] ? chart.values[a] > chart.values[b]
                                                                : a < b;
                    });
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t at = order[i];
    out += fmt::format(
        "<path class=\"hit\" fill=\"none\" pointer-events=\"all\" d=\"{}\"><title>{}, iteration "
        "{}: {}</title></path>",
        CellPath(grid, at, chart.columns.size()), EscapeHtml(chart.rows[at / chart.columns.size()]),
        EscapeHtml(chart.columns[at % chart.columns.size()]),
        EscapeHtml(chart.value_text(chart.values[at])));
  }
}

// Draws a scale beside the cells, from 0 to the largest value.
void DrawScale(const HeatChart& chart, double x, double height, double most, std::string& out) {
  const double each = std::min(16.0, height / static_cast<double>(kLevels));
  for (std::size_t level = 0; level < kLevels; ++level) {
    out += fmt::format(
        "<rect class=\"{}\" fill=\"{}\" fill-opacity=\"{:.2f}\" x=\"{}\" y=\"{}\" width=\"12\" "
        "height=\"{}\"/>",
        chart.paint.name, chart.paint.fill, OpacityOf(kLevels - 1 - level), SvgNumber(x),
        SvgNumber(kTop + each * static_cast<double>(level)), SvgNumber(each));
  }
  out += Label(x + 16, kTop + 10, "", chart.value_text(most));
  if (each >= 3) out += Label(x + 16, kTop + each * kLevels, "", "0");
}

// Merges neighboring bands, so that each is at least three pixels wide.
std::vector<Band> Thin(std::vector<Band> bands, double width) {
  const auto most = static_cast<std::size_t>(std::max(1.0, width / 3));
  if (bands.size() <= most) return bands;
  const std::size_t each = (bands.size() + most - 1) / most;
  std::vector<Band> out;
  for (std::size_t i = 0; i < bands.size(); i += each) {
    Band all = bands[i];
    const std::size_t end = std::min(i + each, bands.size());
    for (std::size_t k = i + 1; k < end; ++k) {
      all.p5 = std::min(all.p5, bands[k].p5);
      all.p25 = std::min(all.p25, bands[k].p25);
      all.p75 = std::max(all.p75, bands[k].p75);
      all.p95 = std::max(all.p95, bands[k].p95);
      all.median += bands[k].median;
    }
    all.median /= static_cast<double>(end - i);
    out.push_back(std::move(all));
  }
  return out;
}

}  // namespace

std::string SvgHeat(const HeatChart& chart) {
  double most = 0;
  for (const double value : chart.values) most = std::max(most, value);
  if (!(most > 0)) return {};
  const std::size_t rows = chart.rows.size(), columns = chart.columns.size();
  Grid grid;
  grid.row = std::clamp(512.0 / static_cast<double>(rows), 4.0, 18.0);
  const double room = chart.width - kLeft - kRight;
  grid.cell = std::min(48.0, room / static_cast<double>(columns));
  const double height = grid.row * static_cast<double>(rows);
  const double right = grid.X(columns);
  const int whole = static_cast<int>(std::ceil(kTop + std::max(height, 24.0) + kBottom));
  std::string out =
      SvgOpen(static_cast<int>(std::ceil(right + kRight)), whole, chart.description, "chart");
  out += fmt::format(
      "<path class=\"grid\" fill=\"none\" stroke=\"#ccc\" d=\"M{0} {1}H{2}V{3}H{0}z\"/>",
      SvgNumber(kLeft - 1), SvgNumber(kTop - 1), SvgNumber(right), SvgNumber(kTop + height));
  DrawCells(chart, grid, most, out);
  DrawTitles(chart, grid, out);
  const std::size_t each_row = Every(grid.row, 14), each_column = Every(grid.cell, 46);
  for (std::size_t i = 0; i < rows; i += each_row) {
    out += Label(kLeft - 6, grid.Y(i) + std::min(grid.row, 14.0) / 2 + 4, "end", chart.rows[i]);
  }
  for (std::size_t i = 0; i < columns; i += each_column) {
    out += Label(grid.X(i) + grid.cell / 2, kTop + height + 15, "middle", chart.columns[i]);
  }
  DrawScale(chart, right + 12, std::max(height, 24.0), most, out);
  return out + "</svg>";
}

// Boxes of one kind share a path, so that hundreds of bands need only three paths:
//      .---.   p95
//      |   |
//      |###|   p75
//      |===|   median
//      |###|   p25
//      |   |
//      '---'   p5
std::string SvgBands(const BandChart& chart) {
  constexpr double kAxis = 64, kMargin = 8, kAbove = 8;
  const double width = chart.width - kAxis - kMargin;
  const double height = chart.height - kAbove - kBottom;
  const std::vector<Band> bands = Thin(chart.bands, width);
  double top = 0;
  for (const Band& band : bands) top = std::max(top, band.p95);
  if (!(top > 0)) return {};
  const auto y = [&](double value) { return kAbove + height * (1 - value / top); };
  const double cell = std::min(64.0, width / static_cast<double>(bands.size()));
  std::string out = SvgOpen(chart.width, chart.height, chart.description, "chart");
  const double step = SvgAxisStep(top);
  for (double value = 0; value <= top * 1.0001; value += step) {
    out += fmt::format("<path class=\"grid\" stroke=\"#ccc\" d=\"M{} {}H{}\"/>", SvgNumber(kAxis),
                       SvgNumber(y(value)), SvgNumber(kAxis + width));
    out += Label(kAxis - 6, y(value) + 4, "end", chart.value_text(value));
  }
  std::string outer, inner, middle;
  const double gap = cell > 6 ? 1 : 0;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const double x0 = kAxis + cell * static_cast<double>(i), x1 = x0 + cell - gap;
    const auto box = [&](double low, double high) {
      return fmt::format("M{} {}H{}V{}H{}z", SvgNumber(x0), SvgNumber(y(high)), SvgNumber(x1),
                         SvgNumber(y(low)), SvgNumber(x0));
    };
    outer += box(bands[i].p5, bands[i].p95);
    inner += box(bands[i].p25, bands[i].p75);
    middle += fmt::format("M{} {}H{}", SvgNumber(x0), SvgNumber(y(bands[i].median)), SvgNumber(x1));
  }
  for (const auto& [path, opacity] : {std::pair(&outer, "0.35"), std::pair(&inner, "0.75")}) {
    out += fmt::format("<path class=\"{}\" fill=\"{}\" fill-opacity=\"{}\" d=\"{}\"/>",
                       chart.paint.name, chart.paint.fill, opacity, *path);
  }
  out += fmt::format("<path class=\"rule\" stroke=\"#222\" stroke-width=\"2\" d=\"{}\"/>", middle);
  const std::size_t each = Every(cell, 46);
  for (std::size_t i = 0; i < bands.size(); i += each) {
    out += Label(kAxis + cell * (static_cast<double>(i) + 0.5), chart.height - 5, "middle",
                 bands[i].name);
  }
  return out + "</svg>";
}

}  // namespace profgauge::render
