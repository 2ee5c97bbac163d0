#include "render/xlsx/xlsx_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/metric_id.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/words.h"
#include "render/xlsx/xlsx_findings.h"
#include "render/xlsx/xlsx_sheet.h"
#include "render/xlsx/xlsx_tables.h"
#include "report/diagnosis.h"

namespace profgauge::render {
namespace {

constexpr double kSameNumber = 1e-9;  // How much a formula may differ.
constexpr double kRounded = 2e-6;     // ms: each of the two times is a whole number of nanoseconds.

double Milliseconds(const report::Quantity& time) {
  return AsNumber(time.value, 0) * XlsxUnitOf(Unit::kTime).factor;
}

// Writes a label and a text for each known fact, beginning with the diagnosis.
std::size_t WriteFacts(XlsxSheet& sheet, const report::Report& report, std::size_t row) {
  const report::ProfileInfo& profile = report.profile;
  const auto add = [&](std::string_view label, std::string_view text) {
    if (text.empty()) return;
    sheet.Text(row, 0, label, XlsxStyle::kMuted);
    sheet.Text(row++, 1, text, XlsxStyle::kFree);
  };
  const report::Diagnosis diagnosis = report::Diagnose(report);
  const auto mean =
      std::ranges::find(report.metrics, metric::kIterationTimeMean.text(), &report::Metric::id);
  if (mean != report.metrics.end() && !IsAbsent(mean->quantity.value)) {
    sheet.Text(row, 0, "Iteration time", XlsxStyle::kMuted);
    sheet.Mixed(row, 1, mean->quantity);
    sheet.book().Name("iteration_time", sheet.name(), XlsxAddress(row++, 1));
  }
  add("Diagnosis", XlsxProse(diagnosis.text));
  add("Counts", CountsText(report.verdict));
  for (const std::string& reason : ReasonTexts(diagnosis, kMostReasons)) add("Because", reason);
  for (const report::ImportCounter& counter : report.import) {
    if (counter.severity == Severity::kDataLoss) add("Data loss", counter.text);
  }
  add("Policy", PolicyText(report.verdict));
  add("Baseline", report.baseline ? report.baseline->line : std::string());
  add("Devices", DevicesText(profile));
  add("Runs", RunsText(profile));
  add("Ranks", profile.ranks > 1 ? FormatCount(profile.ranks) : "");
  add("Iterations", profile.selection);
  add("Framework", profile.framework);
  add("Recorded", profile.captured);
  add("Format", profile.format);
  add("Tool", report.tool);
  return row + 1;
}

/// Writes the review, for people who decide about the run. Open items follow the sheet Findings.
std::size_t WriteReview(XlsxSheet& sheet, const report::Report& report, std::size_t row) {
  XlsxBook& book = sheet.book();
  const auto field = [&](std::string_view label) {
    sheet.Text(++row, 0, label, XlsxStyle::kMuted);
    return XlsxAddress(row, 1);
  };
  sheet.Text(row, 0, "Review", XlsxStyle::kHeading);
  book.Name("reviewer", sheet.name(), field("Reviewer"));
  book.Name("review_date", sheet.name(), field("Date"));
  sheet.AskForDate(row, row, 1);
  field("Decision");
  sheet.AskForChoice(row, row, 1, {"accept", "rework", "reject"});
  field("Comment");
  const auto cells = ReviewCellsOf(report);
  if (!cells) return row + 2;
  book.Name("findings_open", sheet.name(), field("Open errors (limits and findings)"));
  sheet.Formula(row, 1,
                fmt::format(R"(=COUNTIFS({},"error",{},"open"))", cells->levels, cells->statuses),
                static_cast<double>(cells->errors), XlsxStyle::kCount);
  const auto savings = [&](const char* name, std::string_view label, std::string_view status,
                           double value) {
    book.Name(name, sheet.name(), field(label));
    sheet.Formula(
        row, 1,
        fmt::format(R"(=SUMPRODUCT(MAX(({}="{}")*{})))", cells->statuses, status, cells->savings),
        value, XlsxStyle::kMilliseconds);
    sheet.Text(row, 2, "ms per iteration at most, without the others", XlsxStyle::kMuted);
  };
  // Savings overlap, so their sum could exceed the iteration. The plan has the total.
  savings("saving_open", "Largest saving of open rows", "open", cells->savings_open);
  savings("saving_fixed", "Largest saving of fixed rows", "fixed", 0);
  return row + 2;
}

// Writes all limits, severe ones first. The note is the reason, even if numbers show it.
std::size_t WriteGate(XlsxSheet& sheet, const report::Report& report, std::size_t row) {
  sheet.Text(row++, 0, "Limits", XlsxStyle::kHeading);
  if (report.gate.empty()) {
    sheet.Text(row, 0, "The policy has no limits.");
    return row + 2;
  }
  const std::vector<XlsxColumn> columns = {{"Status"},
                                           {"Metric"},
                                           {"Measured", Unit::kNumber},
                                           {"Limit"},
                                           {"Margin", Unit::kNumber},
                                           {"Baseline", Unit::kNumber},
                                           {"Change", Unit::kNumber},
                                           {"Level"},
                                           {"Id"},
                                           {"Note"}};
  std::size_t at = row;
  for (const report::GateRow* limit : GateByWeight(report)) {
    ++at;
    sheet.Text(at, 0, LookOf(limit->status).word, XlsxStyle::kWrap);
    sheet.Text(at, 1, limit->title, XlsxStyle::kWrap);
    sheet.Mixed(at, 2, limit->measured);
    sheet.Text(at, 3, limit->limit, XlsxStyle::kIndented);
    sheet.Mixed(at, 4, limit->margin);
    sheet.Mixed(at, 5, limit->baseline);
    sheet.Mixed(at, 6, limit->change);
    sheet.Text(at, 7, LookOf(limit->level).word, XlsxStyle::kIndented);
    sheet.Text(at, 8, limit->metric, XlsxStyle::kWrap);
    const std::string note = XlsxProse(limit->reason);
    sheet.Text(at, 9, note, XlsxStyle::kWrap);
    sheet.FitRow(at, note);
  }
  return sheet.AddTable(row, columns, report.gate.size(), "t_limits", 0) + 1;
}

// Writes the findings if no plan exists: no symptoms, with advice and possible savings.
std::size_t WriteFixes(XlsxSheet& sheet, const report::Report& report, std::size_t row) {
  std::vector<const report::Finding*> fixes = FixFirst(report, true);
  if (const report::Finding* flaw = FlawOfProfile(report)) fixes = {flaw};
  if (fixes.empty()) fixes = FixFirst(report, false);
  fixes.resize(std::min(fixes.size(), kFirstSteps));
  if (fixes.empty()) return row;
  sheet.Text(row++, 0, "Fix first", XlsxStyle::kHeading);
  std::size_t at = row;
  for (const report::Finding* finding : fixes) {
    ++at;
    sheet.Text(at, 0, finding->title, XlsxStyle::kWrap);
    sheet.Cell(at, 1, finding->saves.value.value, Unit::kTime);
    sheet.Text(at, 2, finding->saves.text, XlsxStyle::kIndented);
    const std::string text = XlsxProse(FirstAdvice(*finding));
    sheet.Text(at, 3, text, XlsxStyle::kWrap);
    sheet.FitRow(at, text);
  }
  return sheet.AddTable(
             row, {{"Finding"}, {"Saving per iteration", Unit::kTime}, {"Saving"}, {"What to do"}},
             fixes.size(), "t_fixes") +
         1;
}

// Writes the steps of the plan, else the findings to fix first. Returns the next free row.
std::size_t WritePlan(XlsxSheet& sheet, const report::Report& report, std::size_t row) {
  if (!report.plan || report.plan->steps.empty()) return WriteFixes(sheet, report, row);
  const report::Plan& plan = *report.plan;
  const std::string without = PlanStartNote(plan);
  sheet.Text(row++, 0,
             fmt::format("Plan: {} → {} per iteration{}", plan.start.text, PlanEndText(plan),
                         without.empty() ? "" : " (" + without + ")"),
             XlsxStyle::kHeading);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const report::PlanStep& step = plan.steps[i];
    const std::size_t at = row + 1 + i;
    sheet.Text(at, 0, fmt::format("{}", fmt::join(step.rules, " + ")), XlsxStyle::kWrap);
    const double saves = Milliseconds(step.saves.value), then = Milliseconds(step.time);
    const std::string before =
        i == 0 ? fmt::format("{}", Milliseconds(plan.start)) : XlsxAddress(at - 1, 1);
    const double follows =
        (i == 0 ? Milliseconds(plan.start) : Milliseconds(plan.steps[i - 1].time)) - saves;
    if (std::abs(follows - then) <= kRounded) {
      sheet.Formula(at, 1, fmt::format("={}-{}", before, XlsxAddress(at, 2)), follows,
                    XlsxStyle::kMilliseconds);
    } else {
      sheet.Cell(at, 1, step.time.value, Unit::kTime);
    }
    sheet.Cell(at, 2, step.saves.value.value, Unit::kTime);
    const std::string text = XlsxProse(PlanStepText(step));
    sheet.Text(at, 3, text, XlsxStyle::kWrapIndented);
    sheet.FitRow(at, text);
    const State level = LevelOf(report, step);
    sheet.Text(at, 4, level == State::kNone ? "" : LookOf(level).word, XlsxStyle::kIndented);
    sheet.Text(at, 5, step.saves.text, XlsxStyle::kIndented);
  }
  const std::size_t last = row + plan.steps.size();
  sheet.book().Name("plan_end", sheet.name(), XlsxAddress(last, 1));
  sheet.AddTable(row,
                 {{"Step"},
                  {"Iteration after it", Unit::kTime},
                  {"Saving per iteration", Unit::kTime},
                  {"What to do"},
                  {"Level"},
                  {"Saving"}},
                 plan.steps.size(), "t_plan");
  double saved = 0;
  for (const report::PlanStep& step : plan.steps) saved += Milliseconds(step.saves.value);
  sheet.Text(last + 1, 0, "All steps", XlsxStyle::kMuted);
  sheet.Formula(last + 1, 2, "=SUM(" + sheet.RangeOf(row + 1, last, 2) + ")", saved,
                XlsxStyle::kMilliseconds);
  return last + 3;
}

void QuietTitle(lxw_chart* chart) {
  lxw_chart_font font = {};
  font.size = 11;
  font.bold = LXW_TRUE;
  chart_title_set_name_font(chart, &font);
}

// Draws a single bar of 100 % with a series for each part, in the colors of all outputs.
void AddBreakdownChart(XlsxSheet& sheet, const std::vector<report::BreakdownPart>& parts,
                       std::size_t first, std::size_t row) {
  lxw_chart* chart = workbook_add_chart(sheet.book().handle(), LXW_CHART_BAR_STACKED_PERCENT);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string values = "=" + sheet.RangeOf(first + i, first + i, 1);
    lxw_chart_series* series = chart_add_series(chart, nullptr, values.c_str());
    chart_series_set_name(series,
                          fmt::format("='{}'!{}", sheet.name(), XlsxAddress(first + i, 0)).c_str());
    lxw_chart_fill fill = {};
    fill.color = XlsxColour(PaintOf(parts[i].category).fill);
    chart_series_set_fill(series, &fill);
  }
  chart_title_set_name(chart, "Iteration time breakdown");
  chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
  chart_axis_set_label_position(chart->x_axis, LXW_CHART_AXIS_LABEL_POSITION_NONE);
  chart_axis_major_gridlines_set_visible(chart->y_axis, LXW_FALSE);
  QuietTitle(chart);
  // A single bar needs no axis.
  chart_axis_off(chart->x_axis);
  chart_set_series_gap(chart, 30);
  lxw_chart_options place = {};
  place.x_scale = 2.2;
  place.y_scale = 0.6;
  sheet.book().Check(
      worksheet_insert_chart_opt(sheet.handle(), static_cast<lxw_row_t>(row), 0, chart, &place));
}

// The chart is below the table. Returns the next free row.
std::size_t WriteBreakdown(XlsxSheet& sheet, const report::Report& report, std::size_t row) {
  const auto parts = report::Breakdown(report);
  if (parts.empty()) return row;
  sheet.Text(row++, 0, "Iteration time breakdown", XlsxStyle::kHeading);
  const std::size_t last = row + parts.size();
  const std::string times = sheet.RangeOf(row + 1, last, 1);
  double all = 0;
  for (const report::BreakdownPart& part : parts) {
    all += part.time == nullptr ? 0 : Milliseconds(part.time->quantity);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sheet.Text(row + 1 + i, 0, parts[i].title);
    if (parts[i].time != nullptr) {
      sheet.Cell(row + 1 + i, 1, parts[i].time->quantity.value, Unit::kTime);
    }
    const double share = AsNumber(parts[i].share->quantity.value, 0);
    const double part = parts[i].time == nullptr ? 0 : Milliseconds(parts[i].time->quantity);
    // Several ranks have no such formula, because their shares are means over ranks.
    if (all > 0 && std::abs(part / all - share) <= kSameNumber) {
      sheet.Formula(row + 1 + i, 2, fmt::format("={}/SUM({})", XlsxAddress(row + 1 + i, 1), times),
                    part / all, XlsxStyle::kPercent);
    } else {
      sheet.Cell(row + 1 + i, 2, parts[i].share->quantity.value, Unit::kShare);
    }
  }
  const std::size_t next = sheet.AddTable(
      row,
      {{"Part"},
       {report.profile.ranks > 1 ? "All iterations and ranks" : "All iterations", Unit::kTime},
       {"Share", Unit::kShare}},
      parts.size(), "t_breakdown");
  sheet.book().Name("breakdown_time", sheet.name(),
                    XlsxAddress(row + 1, 1) + ":" + XlsxAddress(last, 1));
  sheet.Text(last + 1, 0, "All parts", XlsxStyle::kMuted);
  sheet.Formula(last + 1, 1, "=SUM(" + times + ")", all, XlsxStyle::kMilliseconds);
  constexpr std::size_t kChartRows = 10;
  AddBreakdownChart(sheet, parts, row + 1, next + 2);
  return next + 2 + kChartRows;
}

/// Draws the lengths of iterations, from the sheet Iterations.
void AddIterationsChart(XlsxSheet& sheet, const report::Report& report, std::size_t row) {
  const Table* table = report::FindTableById(report, "iterations");
  if (table == nullptr || table->rows() < 2) return;
  std::size_t index = 0, duration = 0, column_number = 0;
  bool has_index = false, has_duration = false;
  for (const Column& column : table->columns()) {
    if (!column.absent_because().empty()) continue;
    if (column.id() == "index") index = column_number, has_index = true;
    if (column.id() == "duration") duration = column_number, has_duration = true;
    ++column_number;
  }
  if (!has_index || !has_duration) return;
  const std::size_t last = std::min(table->rows(), report::kXlsxRows);
  const auto range = [&](std::size_t column) {
    return fmt::format("='Iterations'!{}:{}", XlsxAddress(1, column), XlsxAddress(last, column));
  };
  lxw_chart* chart = workbook_add_chart(sheet.book().handle(), LXW_CHART_LINE);
  lxw_chart_series* series = chart_add_series(chart, range(index).c_str(), range(duration).c_str());
  chart_series_set_name(series, "Duration (ms)");
  lxw_chart_line line = {};
  line.color = 0x0072B2;
  line.width = 1.5;
  chart_series_set_line(series, &line);
  chart_title_set_name(chart, "Iterations");
  QuietTitle(chart);
  lxw_chart_line grid = {};
  grid.color = 0xDDDDDD;
  grid.width = 0.75;
  chart_axis_major_gridlines_set_line(chart->y_axis, &grid);
  chart_axis_set_name(chart->x_axis, "Iteration");
  chart_axis_set_name(chart->y_axis, "ms");
  chart_axis_set_min(chart->y_axis, 0);
  chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
  lxw_chart_options place = {};
  place.x_scale = 2.2;
  sheet.book().Check(
      worksheet_insert_chart_opt(sheet.handle(), static_cast<lxw_row_t>(row), 0, chart, &place));
}

}  // namespace

void AddSummarySheet(XlsxBook& book, const report::Report& report) {
  XlsxSheet sheet(book, "Summary");
  sheet.Text(0, 0, report.profile.name, XlsxStyle::kTitle);
  sheet.Text(
      1, 0,
      fmt::format("{} {}", LookOf(report.verdict.status).sign, VerdictWord(report.verdict.status)),
      XlsxStyleOf(LookOf(report.verdict.status).tone));
  book.Name("verdict", sheet.name(), XlsxAddress(1, 0));
  std::size_t row = WriteFacts(sheet, report, 2);
  row = WriteReview(sheet, report, row);
  row = WritePlan(sheet, report, row);
  row = WriteGate(sheet, report, row);
  row = WriteBreakdown(sheet, report, row);
  AddIterationsChart(sheet, report, row);
  sheet.FitColumns();
  constexpr std::size_t kChartRows = 16, kPrintedColumns = 6;
  worksheet_set_portrait(sheet.handle());
  sheet.PrintOnOnePage(row + kChartRows, kPrintedColumns);
}

}  // namespace profgauge::render
