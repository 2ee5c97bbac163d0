// Sheets of the workbook about findings, in their order.
#pragma once

#include <xlsxwriter.h>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "base/value.h"
#include "render/xlsx/xlsx_book.h"
#include "report/report.h"
#include "report/table_look.h"

namespace profgauge::render {

/// The row of each finding's evidence, by the finding's index. 0 means that it has none.
using EvidenceRows = std::vector<std::size_t>;

/// A row for each missed limit and each fired or waived finding, with columns for a review.
void AddFindingsSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);
/// All other rules, with their results or the reason why they were not judged.
void AddChecksSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);

/// The cells that the summary's numbers of the review use, and their values before the review.
struct ReviewCells {
  std::string levels, statuses, savings;  ///< Ranges of the sheet Findings.
  std::size_t errors = 0;                 ///< Number of errors, all open.
  double savings_open = 0;                ///< The largest saving, in ms.
};
/// The cells for the review. nullopt if the sheet Findings has no rows.
std::optional<ReviewCells> ReviewCellsOf(const report::Report& report);

/// Adds the evidence of all findings, at the rows of PlaceEvidence().
void AddEvidenceSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);
/// The rows at which AddEvidenceSheet() will write evidence, because earlier sheets link to them.
///
///   row 0   Evidence of the findings
///   row 2   gpu/idle: GPU idle time is high            places[i] = 2, a link back
///   row 3   Rule | Start | Duration                    heads
///   row 4   …                                          the rows, then one empty row
EvidenceRows PlaceEvidence(const report::Report& report);

}  // namespace profgauge::render
