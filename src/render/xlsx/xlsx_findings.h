// The sheets of the workbook, in their order.
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

/// The place of each finding's evidence, by index of the report's finding; 0: it has none.
using EvidenceRows = std::vector<std::size_t>;

/// A row for each limit that is missed and each finding that fired or is waived, with columns for a
/// review.
void AddFindingsSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);
/// All other rules, with what they found or why they are not judged.
void AddChecksSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);

/// What the summary counts in the columns of the review, while nothing is reviewed.
struct ReviewCells {
  std::string levels, statuses, savings;  ///< Ranges of the sheet Findings.
  std::size_t errors = 0;                 ///< Of level error, all of them open.
  double savings_open = 0;                ///< In ms: the largest, without the others.
};
/// Nothing where the sheet Findings has no rows.
std::optional<ReviewCells> ReviewCellsOf(const report::Report& report);

/// The rows of evidence of all findings, at the places of PlaceEvidence().
void AddEvidenceSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);
/// Computes where AddEvidenceSheet puts the evidence: the findings before it link there.
///
///   row 0   Evidence of the findings
///   row 2   gpu/idle: GPU idle time is high            places[i] = 2, a link back
///   row 3   Rule | Start | Duration                    heads
///   row 4   …                                          the rows, then one empty row
EvidenceRows PlaceEvidence(const report::Report& report);

}  // namespace profgauge::render
