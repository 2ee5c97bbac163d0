// The sheets about changes against a baseline.
#include "render/xlsx/xlsx_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "render/shared/change.h"
#include "render/shared/looks.h"
#include "render/shared/words.h"
#include "render/xlsx/xlsx_sheet.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

using report::Comparison;

std::size_t WriteDifferences(XlsxSheet& sheet, const Comparison& comparison, std::size_t row) {
  sheet.Text(row++, 0, comparison.comparable ? "Differences" : "Differences: not comparable",
             XlsxStyle::kHeading);
  if (comparison.differences.empty()) {
    sheet.Text(row, 0, "No recorded differences.");
    return row + 2;
  }
  std::size_t at = row;
  for (const report::Difference& difference : comparison.differences) {
    ++at;
    sheet.Text(at, 0, PropertyTitle(difference.property, comparison));
    sheet.Text(at, 1, difference.base.empty() ? "not recorded" : difference.base);
    sheet.Text(at, 2, difference.current.empty() ? "not recorded" : difference.current);
    sheet.Text(at, 3, difference.blocks ? "not comparable" : "differs");
  }
  return sheet.AddTable(row, {{"Property"}, {"Baseline"}, {"This run"}, {"So"}},
                        comparison.differences.size(), "t_differences") +
         1;
}

std::size_t WriteMetrics(XlsxSheet& sheet, const Comparison& comparison, std::size_t row) {
  sheet.Text(row++, 0, "Metrics with a limit on their change", XlsxStyle::kHeading);
  std::size_t at = row;
  for (const report::ComparedMetric& metric : comparison.metrics) {
    ++at;
    sheet.Text(at, 0, LookOfResult(metric).word);
    sheet.Text(at, 1, metric.title);
    sheet.Mixed(at, 2, metric.base);
    sheet.Mixed(at, 3, metric.current);
    sheet.Mixed(at, 4, metric.change);
    sheet.Mixed(at, 5, metric.low);
    sheet.Mixed(at, 6, metric.high);
    sheet.Text(at, 7, metric.limit, XlsxStyle::kIndented);
    sheet.Text(at, 8, metric.metric);
    sheet.Text(at, 9, metric.note);
  }
  const std::vector<XlsxColumn> columns = {{"Result"},
                                           {"Metric"},
                                           {"Baseline", Unit::kNumber},
                                           {"This run", Unit::kNumber},
                                           {"Change", Unit::kNumber},
                                           {"From", Unit::kNumber},
                                           {"To", Unit::kNumber},
                                           {"Limit"},
                                           {"Id"},
                                           {"Note"}};
  return sheet.AddTable(row, columns, comparison.metrics.size(), "t_compared") + 1;
}

void AddBaselineSheet(XlsxBook& book, const report::Report& report) {
  const Comparison& comparison = *report.comparison;
  XlsxSheet sheet(book, "Baseline");
  sheet.Text(0, 0, fmt::format("{} against {}", comparison.candidate, BaselineText(comparison)),
             XlsxStyle::kTitle);
  sheet.Text(1, 0, ChangeSentence(comparison), XlsxStyle::kHeading);
  std::size_t row = 2;
  if (const std::string judged = JudgedText(report); !judged.empty()) {
    sheet.Text(row++, 0, judged, XlsxStyle::kHeading);
  }
  if (const std::string why = UndecidedText(report); !why.empty()) {
    sheet.Text(row++, 0, "Undecided: " + why, XlsxStyle::kFree);
  }
  row = WriteDifferences(sheet, comparison, row + 1);
  row = WriteMetrics(sheet, comparison, row);
  if (!comparison.alike.empty()) sheet.Text(row++, 0, "Same in both", XlsxStyle::kHeading);
  for (const auto& [property, value] : comparison.alike) {
    sheet.Text(row, 0, PropertyTitle(property, comparison), XlsxStyle::kMuted);
    sheet.Text(row++, 1, value, XlsxStyle::kFree);
  }
  sheet.FitColumns();
}

// The waterfall chart: a stacked column whose lowest part, the foot, is invisible.
//
//   columns     C foot   D total   E slower   F faster
//   base           0       177         0          0
//   GPU idle     137         0         0         40      hangs from 177 down to 137
//   copies       137         0        10          0
//   current        0       147         0          0
void AddWaterfallChart(XlsxSheet& sheet, std::size_t first, std::size_t count, std::size_t row) {
  lxw_chart* chart = workbook_add_chart(sheet.book().handle(), LXW_CHART_COLUMN_STACKED);
  const auto range = [&](std::size_t column) {
    return fmt::format("='{}'!{}:{}", sheet.name(), XlsxAddress(first, column),
                       XlsxAddress(first + count - 1, column));
  };
  struct Part {
    std::size_t column;
    const char* name;
    std::uint32_t colour;
  };
  for (const Part& part : {Part{2, "", 0}, Part{3, "Total", 0xB3B3B3}, Part{4, "Slower", 0xD55E00},
                           Part{5, "Faster", 0x0072B2}}) {
    lxw_chart_series* series =
        chart_add_series(chart, range(0).c_str(), range(part.column).c_str());
    lxw_chart_fill fill = {};
    fill.color = part.colour;
    fill.none = part.column == 2 ? LXW_TRUE : LXW_FALSE;
    chart_series_set_fill(series, &fill);
    chart_series_set_name(series, part.name);
  }
  int16_t hidden[] = {0, -1};
  chart_legend_delete_series(chart, hidden);
  chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
  chart_title_set_name(chart, "Iteration time change by part");
  chart_axis_set_name(chart->y_axis, "ms per iteration");
  chart_set_series_gap(chart, 30);
  lxw_chart_options place = {};
  place.x_scale = 2.0;
  place.y_scale = 1.4;
  sheet.book().Check(
      worksheet_insert_chart_opt(sheet.handle(), static_cast<lxw_row_t>(row), 7, chart, &place));
}

// Writes the table of the chart, which is at its right. Returns the next free row.
std::size_t WriteBars(XlsxSheet& sheet, const Comparison& comparison, std::size_t row) {
  const std::vector<ChangeBar> bars = WaterfallBars(comparison);
  std::size_t at = row;
  for (const ChangeBar& bar : bars) {
    ++at;
    const std::int64_t low = std::min(bar.from, bar.to);
    sheet.Text(at, 0, bar.title);
    sheet.Cell(at, 1, bar.Length(), Unit::kTime);
    sheet.Cell(at, 2, bar.is_total ? std::int64_t{0} : low, Unit::kTime);
    sheet.Cell(at, 3, bar.is_total ? bar.to : std::int64_t{0}, Unit::kTime);
    const std::int64_t change = bar.is_total ? 0 : bar.to - bar.from;
    sheet.Cell(at, 4, std::max<std::int64_t>(change, 0), Unit::kTime);
    sheet.Cell(at, 5, std::max<std::int64_t>(-change, 0), Unit::kTime);
  }
  const std::vector<XlsxColumn> columns = {{"Step"},
                                           {"Time or change", Unit::kTime},
                                           {"Starts at", Unit::kTime},
                                           {"Total", Unit::kTime},
                                           {"Slower", Unit::kTime},
                                           {"Faster", Unit::kTime}};
  const std::size_t next = sheet.AddTable(row, columns, bars.size(), "t_bars");
  AddWaterfallChart(sheet, row + 1, bars.size(), row);
  constexpr std::size_t kChartRows = 22;
  return std::max(next, row + kChartRows) + 1;
}

// The depth of a part: first parts of an iteration, then operator types, operators, kernels.
std::size_t DepthOf(gate::PartLevel level) { return static_cast<std::size_t>(level); }

std::string LevelWord(gate::PartLevel level) {
  std::string word(gate::NameOf(level));
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

// Writes the bars with their chart, and below them the parts, at most kXlsxRows. A part of a lower
// level is an outline row below its parent, so readers can fold it.
void AddWaterfallSheet(XlsxBook& book, const Comparison& comparison) {
  XlsxSheet sheet(book, "Waterfall");
  sheet.Text(0, 0, "Iteration time change by part", XlsxStyle::kTitle);
  if (SpeedOf(comparison) == Speed::kOtherWork) {
    sheet.Text(1, 0, "The runs did different work: a shorter part is no gain");
  }
  const std::size_t row = WriteBars(sheet, comparison, 2);
  std::size_t at = row;
  for (const report::ComparisonStep& step : comparison.waterfall) {
    if (at - row == report::kXlsxRows) break;
    ++at;
    sheet.Text(at, 0,
               step.level == gate::PartLevel::kCategory ? StepTitle(step, comparison) : step.name);
    sheet.Cell(at, 1, step.base, Unit::kTime);
    sheet.Cell(at, 2, step.current, Unit::kTime);
    sheet.Cell(at, 3, step.delta, Unit::kTime);
    sheet.Cell(at, 4, step.count_effect, Unit::kTime);
    sheet.Cell(at, 5, step.duration_effect, Unit::kTime);
    sheet.Number(at, 6, step.base_count, XlsxStyle::kAmount);
    sheet.Number(at, 7, step.current_count, XlsxStyle::kAmount);
    sheet.Text(at, 8, LevelWord(step.level), XlsxStyle::kIndented);
    sheet.Text(at, 9, gate::NameOf(step.change));
    sheet.Text(at, 10, step.significant ? "yes" : "no");
    sheet.Outline(at, DepthOf(step.level));
  }
  sheet.AddTable(row,
                 {{"Part"},
                  {"Baseline", Unit::kTime},
                  {"This run", Unit::kTime},
                  {"Change", Unit::kTime},
                  {"By count", Unit::kTime},
                  {"By duration", Unit::kTime},
                  {"Count, baseline", Unit::kNumber},
                  {"Count, this run", Unit::kNumber},
                  {"Level"},
                  {"Kind"},
                  {"Significant"}},
                 at - row, "t_waterfall");
  sheet.FitColumns();
}

// If there are no rows, adds no sheet. `table.measure` selects device or host times.
void AddPairedSheet(XlsxBook& book, const std::string& name, const std::string& table_name,
                    const report::PairedTable& table, const std::string& accelerator) {
  if (table.rows.empty()) return;
  XlsxSheet sheet(book, name);
  std::size_t row = 0;
  for (const report::PairedWork& work : table.rows) {
    ++row;
    sheet.Text(row, 0, work.name, XlsxStyle::kClipped);
    sheet.Number(row, 1, work.base_count, XlsxStyle::kAmount);
    sheet.Number(row, 2, work.current_count, XlsxStyle::kAmount);
    sheet.Cell(row, 3, work.base, Unit::kTime);
    sheet.Cell(row, 4, work.current, Unit::kTime);
    sheet.Cell(row, 5, work.delta, Unit::kTime);
    sheet.Cell(row, 6, work.count_effect, Unit::kTime);
    sheet.Cell(row, 7, work.duration_effect, Unit::kTime);
    sheet.Cell(row, 8, work.base_host, Unit::kTime);
    sheet.Cell(row, 9, work.current_host, Unit::kTime);
    sheet.Text(row, 10, gate::NameOf(work.change), XlsxStyle::kIndented);
    sheet.Text(row, 11, work.significant ? "yes" : "no");
    sheet.Cell(row, 12, work.p_value, Unit::kNumber);
  }
  const std::string time = table.measure == report::Measure::kHostTime
                               ? "Host time"
                               : report::TextFor(accelerator, "{{ device.device }} time");
  sheet.AddTable(0,
                 {{"Name"},
                  {"Count, baseline", Unit::kNumber},
                  {"Count, this run", Unit::kNumber},
                  {time + ", baseline", Unit::kTime},
                  {time + ", this run", Unit::kTime},
                  {"Change", Unit::kTime},
                  {"By count", Unit::kTime},
                  {"By duration", Unit::kTime},
                  {"Host time, baseline", Unit::kTime},
                  {"Host time, this run", Unit::kTime},
                  {"Kind"},
                  {"Significant"},
                  {"p", Unit::kNumber}},
                 row, table_name);
  sheet.Freeze(1, 1);
  sheet.FitColumns();
}

void AddValuesSheet(XlsxBook& book, const Comparison& comparison) {
  if (comparison.values.empty()) return;
  XlsxSheet sheet(book, "Side by side");
  std::size_t row = 0;
  for (const report::PairedValue& value : comparison.values) {
    ++row;
    sheet.Text(row, 0, value.title);
    sheet.Mixed(row, 1, value.base);
    sheet.Mixed(row, 2, value.current);
    sheet.Mixed(row, 3, value.change);
    sheet.Text(row, 4, report::NameOf(value.better), XlsxStyle::kIndented);
    sheet.Text(row, 5, value.metric);
  }
  sheet.AddTable(0,
                 {{"Metric"},
                  {"Baseline", Unit::kNumber},
                  {"This run", Unit::kNumber},
                  {"Change", Unit::kNumber},
                  {"Better"},
                  {"Id"}},
                 row, "t_values");
  sheet.Freeze(1, 1);
  sheet.FitColumns();
}

}  // namespace

void AddComparisonSheets(XlsxBook& book, const report::Report& report) {
  if (!report.comparison) return;
  const Comparison& comparison = *report.comparison;
  AddBaselineSheet(book, report);
  AddWaterfallSheet(book, comparison);
  AddPairedSheet(book, "Kernel changes", "t_kernel_changes", comparison.kernels,
                 comparison.accelerator);
  AddPairedSheet(book, "Operator changes", "t_op_changes", comparison.ops, comparison.accelerator);
  AddValuesSheet(book, comparison);
}

}  // namespace profgauge::render
