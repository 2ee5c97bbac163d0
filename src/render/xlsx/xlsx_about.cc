#include "render/xlsx/xlsx_about.h"

#include <fmt/format.h>

#include "base/format.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/words.h"
#include "render/xlsx/xlsx_sheet.h"
#include "render/xlsx/xlsx_tables.h"

namespace profgauge::render {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Writes a heading and a row for each pair. If there are no pairs, writes nothing. Returns the next
// free row, after an empty one.
std::size_t WritePairs(XlsxSheet& sheet, std::string_view title, const Pairs& pairs,
                       std::size_t row) {
  if (pairs.empty()) return row;
  sheet.Text(row++, 0, title, XlsxStyle::kHeading);
  for (const auto& [name, text] : pairs) {
    sheet.Text(row, 0, name, XlsxStyle::kMuted);
    sheet.Text(row++, 1, text, XlsxStyle::kFree);
  }
  return row + 1;
}

// The cells of a table's only row, with the heads of its columns. Such a table has no sheet.
Pairs CellsOf(const Table& table) {
  Pairs cells;
  for (const Column& column : table.columns()) {
    const Value value = table.At(0, column);
    if (!IsAbsent(value)) cells.emplace_back(column.title(), FormatValue(value, column.unit()));
  }
  return cells;
}

}  // namespace

// A value is a number, scaled by its unit like in all sheets, beside the text of other reports.
void AddMetricsSheet(XlsxBook& book, const report::Report& report) {
  XlsxSheet sheet(book, "Metrics");
  std::size_t row = 0;
  for (const report::Metric& metric : report.metrics) {
    ++row;
    const Unit unit = metric.quantity.unit;
    const std::string_view name = XlsxUnitOf(unit).name;
    sheet.Text(row, 0, metric.id);
    sheet.Text(row, 1, metric.title);
    sheet.Cell(row, 2, metric.quantity.value, unit);
    sheet.Text(row, 3, unit == Unit::kShare ? "%" : name);
    sheet.Text(row, 4, metric.quantity.text);
    sheet.Text(row, 5, report::NameOf(metric.better));
    sheet.Text(row, 6, metric.definition);
    sheet.Text(row, 7, metric.formula);
    sheet.Text(row, 8, metric.source);
    sheet.Text(row, 9,
               IsAbsent(metric.quantity.value) ? metric.quantity.absent_because : metric.note);
  }
  sheet.AddTable(0,
                 {{"Id"},
                  {"Metric"},
                  {"Value"},
                  {"Unit"},
                  {"Shown as"},
                  {"Better"},
                  {"Definition"},
                  {"Formula"},
                  {"Source"},
                  {"Note"}},
                 row, "t_metrics");
  sheet.Freeze(1, 1);
  sheet.FitColumns();
}

// Lists missing columns and tables with reasons, because an empty cell of another sheet must not be
// read as 0.
void AddAboutSheet(XlsxBook& book, const report::Report& report) {
  XlsxSheet sheet(book, "About");
  sheet.Text(0, 0, "About this report", XlsxStyle::kTitle);
  Pairs sources = {{"Tool", report.tool},
                   {"Format", report.profile.format},
                   {"Dialect", report.profile.dialect},
                   {"Source of iterations", report.profile.iteration_source.Text()}};
  for (const std::string& source : report.profile.sources) sources.emplace_back("Source", source);
  std::size_t row = WritePairs(sheet, "Profile", sources, 2);
  row = WritePairs(sheet, "Versions", report.profile.versions, row);
  Pairs quality;
  if (!report.recording.checks.empty()) {
    quality.emplace_back("Profile", TrustText(report.recording.trust));
  }
  for (const CertificateCheck* check : ChecksByWeight(report.recording)) {
    const std::string found = FoundText(*check);
    quality.emplace_back(check->title, fmt::format("{}{}{}", StateText(check->state),
                                                   found.empty() ? "" : ": ", found));
  }
  row = WritePairs(sheet, "Profile quality", quality, row);
  for (const Table& table : report.tables) {
    if (table.rows() == 1 && !HasSheet(table))
      row = WritePairs(sheet, table.title(), CellsOf(table), row);
  }
  row = WritePairs(sheet, "Environment of the run", report.environment, row);
  row = WritePairs(sheet, "Hashes and options", report.provenance, row);
  Pairs counters, remarks, left_out;
  for (const report::ImportCounter& counter : report.import) {
    counters.emplace_back(
        LookOf(counter.severity).word,
        fmt::format("{} {}", FormatCount(static_cast<std::int64_t>(counter.count)), counter.text));
  }
  for (const report::Remark& remark : report.remarks) remarks.emplace_back(remark.id, remark.text);
  for (const report::LeftOutTable& table : report.left_out) {
    left_out.emplace_back(
        table.title, fmt::format("{} rows that are not in report.json", FormatCount(table.rows)));
  }
  for (const auto& [id, reason] : report.absent_tables) left_out.emplace_back(id, reason);
  for (const Table& table : report.tables) {
    for (const Column& column : table.columns()) {
      if (column.absent_because().empty()) continue;
      left_out.emplace_back(table.title() + ", " + column.title(), column.absent_because());
    }
  }
  row = WritePairs(sheet, "Remarks", remarks, row);
  row = WritePairs(sheet, "Import log", counters, row);
  WritePairs(sheet, "Missing data", left_out, row);
  sheet.FitColumns();
}

}  // namespace profgauge::render
