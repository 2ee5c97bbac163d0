// The workbook of several runs: Runs, Metrics, Comparisons.
#include <fmt/format.h>

#include <cmath>

#include "base/metric_id.h"
#include "render/shared/change.h"
#include "render/shared/looks.h"
#include "render/shared/runs_table.h"
#include "render/xlsx/xlsx_book.h"
#include "render/xlsx/xlsx_sheet.h"
#include "report/first_screen.h"

namespace profgauge::render {
namespace {

using report::Report;
using report::Runs;

void AddRunsSheet(XlsxBook& book, const Runs& runs) {
  XlsxSheet sheet(book, "Runs");
  const std::vector<XlsxColumn> columns = {
      {"Verdict"}, {"Run"}, {"Iteration time", Unit::kTime}, {"Diagnosis"}};
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const Report& run = runs.runs[i];
    sheet.Text(i + 1, 0, LookOf(run.verdict.status).word);
    sheet.Text(i + 1, 1, run.profile.name);
    const report::Metric* time = report::FindMetricById(run, metric::kIterationTimeMean);
    if (time != nullptr) sheet.Cell(i + 1, 2, time->quantity.value, Unit::kTime);
    sheet.Text(i + 1, 3, XlsxProse(report::Diagnose(run).text), XlsxStyle::kFree);
  }
  sheet.AddTable(0, columns, runs.runs.size(), "Runs", 0);
  sheet.Freeze(1, 0);
  sheet.FitColumns();
}

// Numbers stay numbers with their unit in the format; the best runs are named in the last column,
// since a color would be the only sign.
void AddRunsMetricsSheet(XlsxBook& book, const Runs& runs) {
  XlsxSheet sheet(book, "Metrics");
  std::vector<XlsxColumn> columns = {{"Metric"}, {"Id"}, {"Limited"}};
  for (const Report& run : runs.runs) columns.push_back({run.profile.name, Unit::kNumber});
  columns.push_back({"Best"});
  const std::vector<RunsRow> rows = RowsOfRuns(runs, true);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RunsRow& row = rows[i];
    sheet.Text(i + 1, 0, row.metric->title);
    sheet.Text(i + 1, 1, row.metric->id);
    sheet.Text(i + 1, 2, row.is_limited ? "yes" : "");
    std::string best;
    for (std::size_t run = 0; run < row.cells.size(); ++run) {
      if (row.cells[run] != nullptr) sheet.Mixed(i + 1, 3 + run, *row.cells[run]);
      if (row.is_best[run]) best += (best.empty() ? "" : ", ") + runs.runs[run].profile.name;
    }
    sheet.Text(i + 1, 3 + row.cells.size(), best, XlsxTextStyle(columns, 3 + row.cells.size()));
  }
  sheet.AddTable(0, columns, rows.size(), "Metrics");
  sheet.Freeze(1, 1);
  sheet.FitColumns();
}

// A row for each comparison, without times where a run has no iteration times.
void AddPairsSheet(XlsxBook& book, const Runs& runs) {
  XlsxSheet sheet(book, "Comparisons");
  const std::vector<XlsxColumn> columns = {{"Run"},
                                           {"Against"},
                                           {"Result"},
                                           {"Mean iteration before", Unit::kTime},
                                           {"Mean iteration after", Unit::kTime},
                                           {"Change", Unit::kTime},
                                           {"Sentence"}};
  std::size_t at = 0;
  for (const Runs::Pair& pair : runs.pairs) {
    if (!pair.report.comparison) continue;
    const report::Comparison& comparison = *pair.report.comparison;
    ++at;
    sheet.Text(at, 0, runs.runs[pair.current].profile.name);
    sheet.Text(at, 1, runs.runs[pair.base].profile.name);
    sheet.Text(at, 2, SpeedWord(comparison));
    if (HasTimes(comparison)) {
      sheet.Cell(at, 3, comparison.base, Unit::kTime);
      sheet.Cell(at, 4, comparison.current, Unit::kTime);
      sheet.Cell(at, 5, comparison.delta, Unit::kTime);
    }
    sheet.Text(at, 6, ChangeSentence(comparison), XlsxTextStyle(columns, 6));
  }
  sheet.AddTable(0, columns, at, "Comparisons");
  sheet.Freeze(1, 0);
  sheet.FitColumns();
}

}  // namespace

Result<std::string> RenderRunsXlsx(const Runs& runs) {
  const CLocale locale;
  XlsxBook book("Runs", kUnknownDay);
  if (book.handle() == nullptr) return book.Finish();
  AddRunsSheet(book, runs);
  AddRunsMetricsSheet(book, runs);
  AddPairsSheet(book, runs);
  return book.Finish();
}

}  // namespace profgauge::render
