#include "render/xlsx/xlsx_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/words.h"
#include "render/xlsx/xlsx_sheet.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

using report::Finding;

// Columns of the sheet Findings.
enum FindingColumn : std::size_t {
  kLevelColumn,
  kRuleColumn,
  kTitleColumn,
  kMessageColumn,
  kMeasuredColumn,
  kGainColumn,
  kBoundColumn,
  kAdviceColumn,
  kEvidenceColumn,
  kDocsColumn,
  kStatusColumn,
  kAssigneeColumn,
  kDueColumn,
  kCommentColumn,
};

const std::vector<XlsxColumn>& FindingColumns() {
  static const std::vector<XlsxColumn> columns = {
      {"Level", Unit::kText},         {"Rule", Unit::kText},
      {"Title", Unit::kText},         {"Finding", Unit::kText},
      {"Measured", Unit::kNumber},    {"Saving per iteration", Unit::kTime},
      {"Saving", Unit::kText},        {"Advice", Unit::kText},
      {"Evidence", Unit::kText},      {"More", Unit::kText},
      {"Review status", Unit::kText}, {"Assignee", Unit::kText},
      {"Due", Unit::kText},           {"Comment", Unit::kText}};
  return columns;
}

void LinkToEvidence(XlsxSheet& sheet, std::size_t row, std::size_t column, const Finding& finding,
                    std::size_t evidence_row) {
  sheet.Link(row, column, fmt::format("internal:'Evidence'!A{}", evidence_row + 1),
             RowsShown(finding, std::min(finding.evidence.size(), report::kXlsxRows)));
}

/// True if a person must decide about the finding or has decided.
bool IsForReview(const Finding& finding) {
  return report::HasFired(finding) || finding.status == State::kWaived;
}

/// The missed limits that have a row. An error and a warning on one metric are one row, and so are
/// a limit and the finding that it counts. So each level has as many rows as the verdict counts.
std::vector<const report::GateRow*> MissedLimits(const report::Report& report) {
  std::vector<const report::GateRow*> missed;
  std::set<std::string_view> metrics;
  for (const report::GateRow* limit : GateByWeight(report)) {
    const bool is_finding = std::ranges::any_of(report.findings, [limit](const Finding& finding) {
      return report::HasFired(finding) && finding.counted_with == limit->metric &&
             finding.status == limit->status;
    });
    if (is_finding) metrics.insert(limit->metric);
    if (IsMissed(*limit) && metrics.insert(limit->metric).second) missed.push_back(limit);
  }
  return missed;
}

void WriteFinding(XlsxSheet& sheet, std::size_t row, const Finding& finding,
                  std::size_t evidence_row) {
  const std::string found =
      finding.message.empty() ? XlsxProse(finding.reason) : XlsxProse(finding.message_parts);
  const std::string advice = XlsxAdvice(finding.advice_parts);
  sheet.Text(row, kLevelColumn, LookOf(finding.status).word, XlsxStyle::kWrap);
  sheet.Text(row, kRuleColumn, finding.rule, XlsxStyle::kWrap);
  sheet.Text(row, kTitleColumn, finding.title, XlsxStyle::kWrap);
  sheet.Text(row, kMessageColumn, found, XlsxStyle::kWrap);
  if (!IsAbsent(finding.metric.value)) sheet.Mixed(row, kMeasuredColumn, finding.metric);
  sheet.FitRow(row, found);
  sheet.FitRow(row, advice);
  sheet.Cell(row, kGainColumn, finding.saves.value.value, Unit::kTime);
  sheet.Text(row, kBoundColumn, finding.saves.text, XlsxStyle::kIndented);
  sheet.Text(row, kAdviceColumn, advice, XlsxStyle::kWrap);
  if (evidence_row > 0) LinkToEvidence(sheet, row, kEvidenceColumn, finding, evidence_row);
  if (finding.docs.starts_with("https://")) {
    sheet.Link(row, kDocsColumn, finding.docs, finding.docs);
  } else {
    sheet.Text(row, kDocsColumn, finding.docs, XlsxStyle::kWrap);
  }
}

// Writes a missed limit as a row beside the findings, because a team reviews both together.
void WriteLimit(XlsxSheet& sheet, std::size_t row, const report::GateRow& limit) {
  sheet.Text(row, kLevelColumn, LookOf(limit.status).word, XlsxStyle::kWrap);
  sheet.Text(row, kRuleColumn, limit.metric, XlsxStyle::kWrap);
  sheet.Text(row, kTitleColumn, limit.title, XlsxStyle::kWrap);
  sheet.Text(
      row, kMessageColumn,
      limit.status == State::kMissing ? limit.reason
      : !limit.change.text.empty()
          ? fmt::format("changed by {}, limit {}; {}", limit.change.text, limit.limit, limit.reason)
          : fmt::format("measured {}, limit {}", limit.measured.text, limit.limit),
      XlsxStyle::kWrap);
  sheet.Mixed(row, kMeasuredColumn, limit.measured);
}

/// Adds lists and messages to the columns of the review. The first `open` rows need a review.
void AddReview(XlsxSheet& sheet, std::size_t rows, std::size_t open) {
  sheet.AskForChoice(1, rows, kStatusColumn,
                     {"open", "accepted", "in progress", "fixed", "will not fix"});
  sheet.AskForDate(1, rows, kDueColumn);
  for (std::size_t row = 1; row <= open; ++row) {
    sheet.Text(row, kStatusColumn, "open", XlsxStyle::kWrap);
  }
}

/// Prints findings and advice in a readable size. The columns of the review are not printed.
void SetPrint(XlsxSheet& sheet, std::size_t rows) {
  constexpr std::pair<FindingColumn, double> kWidths[] = {{kLevelColumn, 12}, {kRuleColumn, 26},
                                                          {kTitleColumn, 52}, {kMessageColumn, 54},
                                                          {kGainColumn, 28},  {kAdviceColumn, 54}};
  for (const auto& [column, width] : kWidths) {
    const auto at = static_cast<lxw_col_t>(column);
    sheet.book().Check(worksheet_set_column(sheet.handle(), at, at, width, nullptr));
  }
  sheet.book().Check(worksheet_print_area(sheet.handle(), 0, 0, static_cast<lxw_row_t>(rows),
                                          static_cast<lxw_col_t>(kAdviceColumn)));
}

std::size_t IndexOf(const report::Report& report, const Finding* finding) {
  return static_cast<std::size_t>(finding - report.findings.data());
}

}  // namespace

EvidenceRows PlaceEvidence(const report::Report& report) {
  EvidenceRows places(report.findings.size(), 0);
  std::size_t row = 2;
  for (const Finding* finding : FindingsInOrder(report)) {
    if (finding->evidence.empty() || finding->evidence_heads.empty()) continue;
    places[IndexOf(report, finding)] = row;
    row += std::min(finding->evidence.size(), report::kXlsxRows) + 3;  // Title, heads, rows, gap.
  }
  return places;
}

void AddFindingsSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence) {
  XlsxSheet sheet(book, "Findings");
  std::size_t row = 0;
  for (const report::GateRow* limit : MissedLimits(report)) WriteLimit(sheet, ++row, *limit);
  std::size_t open = row;
  for (const Finding* finding : FindingsInOrder(report)) {
    if (!IsForReview(*finding)) continue;
    open += report::HasFired(*finding) ? 1 : 0;  // Fired findings come first.
    WriteFinding(sheet, ++row, *finding, evidence[IndexOf(report, finding)]);
  }
  if (row > 0) AddReview(sheet, row, open);
  sheet.AddTable(0, FindingColumns(), row, "t_findings", kLevelColumn);
  sheet.Freeze(1, 2);
  sheet.FitColumns();
  SetPrint(sheet, row);
}

void AddChecksSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence) {
  XlsxSheet sheet(book, "Checks");
  std::size_t row = 0;
  for (const Finding* finding : FindingsInOrder(report)) {
    if (IsForReview(*finding)) continue;
    const std::string found =
        finding->message.empty() ? XlsxProse(finding->reason) : XlsxProse(finding->message_parts);
    const std::size_t evidence_row = evidence[IndexOf(report, finding)];
    ++row;
    sheet.Text(row, 0, LookOf(finding->status).word, XlsxStyle::kWrap);
    sheet.Text(row, 1, finding->rule, XlsxStyle::kWrap);
    sheet.Text(row, 2, finding->title, XlsxStyle::kWrap);
    sheet.Text(row, 3, found, XlsxStyle::kWrap);
    sheet.FitRow(row, found);
    if (!IsAbsent(finding->metric.value)) sheet.Mixed(row, 4, finding->metric);
    if (evidence_row > 0) LinkToEvidence(sheet, row, 5, *finding, evidence_row);
  }
  sheet.AddTable(
      0, {{"Status"}, {"Rule"}, {"Title"}, {"Found"}, {"Measured", Unit::kNumber}, {"Evidence"}},
      row, "t_checks", 0);
  sheet.Freeze(1, 2);
  sheet.FitColumns();
}

std::optional<ReviewCells> ReviewCellsOf(const report::Report& report) {
  ReviewCells cells;
  std::size_t rows = 0;
  for (const report::GateRow* limit : MissedLimits(report)) {
    ++rows;
    cells.errors += limit->status == State::kError ? 1 : 0;
  }
  for (const Finding& finding : report.findings) {
    if (!IsForReview(finding)) continue;
    ++rows;
    if (!report::HasFired(finding)) continue;
    cells.errors += finding.status == State::kError ? 1 : 0;
    const double saves = AsNumber(finding.saves.value.value, 0);
    cells.savings_open = std::max(cells.savings_open, saves * XlsxUnitOf(Unit::kTime).factor);
  }
  if (rows == 0) return std::nullopt;
  const auto range = [&](std::size_t column) {
    return fmt::format("'Findings'!{}:{}", XlsxAddress(1, column), XlsxAddress(rows, column));
  };
  cells.levels = range(kLevelColumn);
  cells.statuses = range(kStatusColumn);
  cells.savings = range(kGainColumn);
  return cells;
}

// All findings share the sheet, but each has its own table, because columns differ. The first
// column repeats the rule, so that a copied row keeps it.
void AddEvidenceSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence) {
  XlsxSheet sheet(book, "Evidence");
  sheet.Text(0, 0, "Evidence of the findings", XlsxStyle::kHeading);
  const report::Labels labels = report::IterationLabels(report);
  bool has_any = false;
  for (const Finding* finding : FindingsInOrder(report)) {
    const std::size_t index = IndexOf(report, finding), place = evidence[index];
    if (place == 0) continue;
    has_any = true;
    const std::size_t rows = std::min(finding->evidence.size(), report::kXlsxRows);
    sheet.Link(place, 0, "internal:'Findings'!A1",
               fmt::format("{}: {}, {}", finding->rule, finding->title, RowsShown(*finding, rows)));
    std::vector<XlsxColumn> heads = {{"Rule", Unit::kText}};
    for (std::size_t i = 0; i < finding->evidence_heads.size(); ++i) {
      const bool has_unit = i < finding->evidence_units.size();
      heads.push_back(
          {finding->evidence_heads[i], has_unit ? finding->evidence_units[i] : Unit::kText});
    }
    for (std::size_t r = 0; r < rows; ++r) {
      sheet.Text(place + 2 + r, 0, finding->rule);
      const auto& cells = finding->evidence[r];
      for (std::size_t i = 0; i < std::min(cells.size(), heads.size() - 1); ++i) {
        const std::string_view label =
            report::LabelOfCell(labels, finding->evidence_heads[i], cells[i]);
        const Value cell = label.empty() ? cells[i] : Value(std::string(label));
        sheet.Cell(place + 2 + r, i + 1, cell, heads[i + 1].unit, XlsxTextStyle(heads, i + 1));
      }
    }
    sheet.AddTable(place + 1, heads, rows, fmt::format("t_evidence_{}", index));
  }
  if (!has_any) sheet.Text(2, 0, "No finding has evidence rows.");
  sheet.FitColumns();
}

}  // namespace profgauge::render
