// The workbook: Summary, Findings, Evidence, the tables, Metrics, Baseline, About.
//
//   Summary    verdict, facts, review, plan, limits, breakdown, charts
//   Findings   what fired or is missed, with columns for a review
//   Checks     all other rules
//   Evidence   the rows of each finding
//   …          a sheet for each kind of table (Kernels, Iterations, …)
//   Totals     rows and sums of each table, which follow its filters
//   Metrics    all, with definitions
//   Baseline … Side by side                                  only with a comparison
//   About      provenance, quality, data that is missing
#include <charconv>
#include <chrono>

#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/xlsx/xlsx_book.h"
#include "render/xlsx/xlsx_sheet.h"

namespace profgauge::render {
namespace {

/// The day of the profile in seconds since 1970, so that the file's date says something and no
/// clock is asked. `captured` begins with YYYY-MM-DD; anything else, and days before 1980, which a
/// zip cannot have, are kUnknownDay.
std::int64_t CreatedOf(const std::string& captured) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (captured.size() < 10) return kUnknownDay;
  std::from_chars(captured.data(), captured.data() + 4, year);
  std::from_chars(captured.data() + 5, captured.data() + 7, month);
  std::from_chars(captured.data() + 8, captured.data() + 10, day);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok() || year < 1980) return kUnknownDay;
  return std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400;
}

}  // namespace

// Evidence is placed before any sheet is written, since the findings link to it and come first.
Result<std::string> RenderXlsx(const report::Report& report) {
  const CLocale locale;
  XlsxBook book(report.profile.name, CreatedOf(report.profile.captured));
  if (book.handle() == nullptr) return book.Finish();
  if (IsComparisonAlone(report)) {
    AddComparisonSheets(book, report);
    return book.Finish();
  }
  const EvidenceRows evidence = PlaceEvidence(report);
  AddSummarySheet(book, report);
  AddFindingsSheet(book, report, evidence);
  AddChecksSheet(book, report, evidence);
  AddEvidenceSheet(book, report, evidence);
  AddTotalsSheet(book, AddTableSheets(book, report));
  AddMetricsSheet(book, report);
  AddComparisonSheets(book, report);
  AddAboutSheet(book, report);
  return book.Finish();
}

Result<std::string> RenderXlsx(const Ending& ending) {
  const CLocale locale;
  XlsxBook book(ending.name, kUnknownDay);
  if (book.handle() == nullptr) return book.Finish();
  XlsxSheet sheet(book, "Summary");
  std::size_t row = 0;
  sheet.Text(row++, 0, VerdictWord(StateOf(ending)) + " · " + ending.name, XlsxStyle::kTitle);
  for (const EndingError& error : ending.errors) {
    sheet.Text(++row, 0, "error", XlsxStyle::kBad);
    sheet.Text(row, 1, error.message, XlsxStyle::kFree);
    sheet.Text(++row, 0, "code", XlsxStyle::kMuted);
    sheet.Text(row, 1, error.code, XlsxStyle::kFree);
    if (!error.where.empty()) {
      sheet.Text(++row, 0, "place", XlsxStyle::kMuted);
      sheet.Text(row, 1, error.where, XlsxStyle::kFree);
    }
    for (const std::string& note : error.notes) {
      sheet.Text(++row, 1, note, XlsxStyle::kFree);
    }
    ++row;
  }
  sheet.FitColumns();
  return book.Finish();
}

}  // namespace profgauge::render
