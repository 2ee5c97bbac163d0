#include "render/svg/svg_trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "render/shared/escape.h"
#include "render/svg/svg_text.h"

namespace profgauge::render {
namespace {

constexpr double kWidth = 1100, kHeight = 220, kLeft = 80, kRight = 16, kTop = 26, kBottom = 26;

std::string Number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// Positions of runs and values. The axis spans the values, so that levels are visible.
struct Plane {
  double low = 0, high = 1, step = 1;
  std::size_t runs = 1;
  double X(double run) const {
    return kLeft + (kWidth - kLeft - kRight) * (run + 0.5) / static_cast<double>(runs);
  }
  double Y(double value) const {
    return kTop + (kHeight - kTop - kBottom) * (1 - (value - low) / (high - low));
  }
};

// The least range of an axis: two labels must differ, and noise must not look like a step.
double LeastSpan(Unit unit, double median) {
  constexpr double kLeastSpan = 0.05;
  if (unit == Unit::kShare) return kLeastSpan;
  const double span = kLeastSpan * std::abs(median);
  return CellTypeOf(unit) == CellType::kInteger ? std::max(span, 4.0) : std::max(span, 1e-9);
}

// Makes the plane, and sets `count` to the number of values. Margins of 15 % above and below keep
// dots off the edge, but the axis never goes below 0 or above 100 %.
Plane PlaneOf(const report::TrendSeries& series, std::size_t& count) {
  Plane plane;
  std::vector<double> values;
  for (const report::Quantity& quantity : series.values) {
    if (!IsAbsent(quantity.value)) values.push_back(AsNumber(quantity.value, 0));
  }
  count = values.size();
  plane.runs = series.values.size();
  if (values.empty()) return plane;
  std::sort(values.begin(), values.end());
  const Unit unit = series.values.front().unit;
  const double low = values.front(), high = values.back();
  const double span =
      std::max(1.3 * (high - low), LeastSpan(unit, values[(values.size() - 1) / 2]));
  plane.low = (low + high - span) / 2;
  if (unit == Unit::kShare && high <= 1) plane.low = std::min(plane.low, 1 - span);
  if (low >= 0) plane.low = std::max(plane.low, 0.0);
  plane.high = plane.low + span;
  plane.step = SvgAxisStep(span);
  if (CellTypeOf(unit) == CellType::kInteger) plane.step = std::max(1.0, std::round(plane.step));
  return plane;
}

void DrawAxis(const report::TrendSeries& series, const Plane& plane, std::string& out) {
  const Unit unit = series.values.front().unit;
  for (double k = std::ceil(plane.low / plane.step); k * plane.step <= plane.high; ++k) {
    const double value = k * plane.step;
    const Value shown = CellTypeOf(unit) == CellType::kInteger
                            ? Value(static_cast<std::int64_t>(std::llround(value)))
                            : Value(value);
    out += fmt::format(
        "<path class=\"grid\" stroke=\"#ccc\" d=\"M{} {}H{}\"/><text class=\"ink\" fill=\"#444\" "
        "x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        Number(kLeft), Number(plane.Y(value)), Number(kWidth - kRight), Number(kLeft - 6),
        Number(plane.Y(value) + 4), EscapeHtml(FormatValue(shown, unit)));
  }
}

// What a run is called below its dot: "3f2a91c", "run 12".
std::string RunLabel(const report::TrendRun& run) {
  return run.commit.empty() ? fmt::format("run {}", run.id) : PrintableShort(run.commit, 10);
}

// Labels as many runs as have room, the last one first.
void DrawRuns(std::span<const report::TrendRun> runs, const Plane& plane, std::string& out) {
  constexpr double kLabelWidth = 84;
  const double each = plane.X(1) - plane.X(0);
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kLabelWidth / each)));
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if ((runs.size() - 1 - run) % every != 0) continue;
    out += fmt::format(
        "<text class=\"ink\" fill=\"#444\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        Number(plane.X(static_cast<double>(run))), Number(kHeight - 8),
        EscapeHtml(RunLabel(runs[run])));
  }
}

// A level of the values, or the straight line with the least squares where they creep.
struct Line {
  double middle = 0, mean = 0, slope = 0, count = 0;
  double At(double run) const { return mean + slope * (run - middle); }
};

Line LineOf(const report::TrendSeries& series, std::size_t begin, std::size_t end, bool creeps) {
  Line line;
  const auto each = [&](auto visit) {
    for (std::size_t run = begin; run < end; ++run) {
      if (IsAbsent(series.values[run].value)) continue;
      visit(static_cast<double>(run), AsNumber(series.values[run].value, 0));
    }
  };
  each([&](double run, double value) {
    line.middle += run;
    line.mean += value;
    ++line.count;
  });
  if (line.count == 0) return line;
  line.middle /= line.count;
  line.mean /= line.count;
  double places = 0, products = 0;
  each([&](double run, double value) {
    places += (run - line.middle) * (run - line.middle);
    products += (run - line.middle) * (value - line.mean);
  });
  if (creeps && places > 0) line.slope = products / places;
  return line;
}

// Draws each level's mean from half a run before its first value to half a run after its last one.
void DrawLevels(const report::TrendSeries& series, const Plane& plane, std::string& out) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= series.changes.size(); ++i) {
    const bool is_last = i == series.changes.size();
    const std::size_t end = is_last ? series.values.size() : series.changes[i].run;
    const Line level = LineOf(series, begin, end, is_last && series.state == "creep");
    if (level.count > 0) {
      const double from = static_cast<double>(begin) - 0.5, to = static_cast<double>(end) - 0.5;
      out += fmt::format(
          "<path class=\"rule\" stroke=\"#222\" stroke-width=\"1.5\" d=\"M{} {}L{} {}\"/>",
          Number(plane.X(from)), Number(plane.Y(level.At(from))), Number(plane.X(to)),
          Number(plane.Y(level.At(to))));
    }
    if (!is_last) {
      const double x = plane.X(static_cast<double>(end) - 0.5);
      const report::TrendChange& change = series.changes[i];
      out += fmt::format(
          "<path class=\"rule\" stroke=\"#222\" stroke-dasharray=\"4 4\" d=\"M{0} {1}V{2}\"/>"
          "<text class=\"halo\" fill=\"#222\" x=\"{0}\" y=\"{3}\" text-anchor=\"middle\">{4}{5}"
          "</text>",
          Number(x), Number(kTop), Number(kHeight - kBottom), Number(kTop - 8), change.change.text,
          change.is_worse ? " worse" : "");
    }
    begin = end;
  }
}

}  // namespace

// Draws the chart of a metric:
//              +8.3 % worse
//   |              :  o_o_o_o     a dot for each run, a line at each level's mean
//   |   o_o_o_o_o  :
//   |              :              between the last run of a level and the first of the next
//     c0 c1 c2 …                  commits, or numbers of runs
std::string SvgTrend(const report::TrendSeries& series, std::span<const report::TrendRun> runs) {
  std::size_t count = 0;
  const Plane plane = PlaneOf(series, count);
  if (count < 2) return {};
  std::string description = fmt::format("{} of {} runs", series.title, count);
  for (const report::TrendChange& change : series.changes) {
    description += fmt::format("; {} from run {} on", change.change.text, runs[change.run].id);
  }
  std::string out = fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-label=\"{0}\" width=\"{1}\" height=\"{2}\" "
      "viewBox=\"0 0 {1} {2}\">",
      EscapeHtml(description), Number(kWidth), Number(kHeight));
  DrawAxis(series, plane, out);
  DrawRuns(runs, plane, out);
  DrawLevels(series, plane, out);
  for (std::size_t run = 0; run < series.values.size(); ++run) {
    const report::Quantity& value = series.values[run];
    if (IsAbsent(value.value)) continue;
    out += fmt::format(
        "<circle class=\"k-cp\" fill=\"#0072B2\" cx=\"{}\" cy=\"{}\" r=\"4\"><title>{}</title>"
        "</circle>",
        Number(plane.X(static_cast<double>(run))), Number(plane.Y(AsNumber(value.value, 0))),
        EscapeHtml(fmt::format("{}: {}", RunLabel(runs[run]), value.text)));
  }
  return out + "</svg>";
}

}  // namespace profgauge::render
