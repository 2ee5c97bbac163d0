// The sheets of the workbook, in their order.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "render/xlsx/xlsx_sheet.h"
#include "report/report.h"

namespace profgauge::render {

/// The place of each finding's evidence, by index of the report's finding; 0: it has none.
using EvidenceRows = std::vector<std::size_t>;

/// Verdict, facts, limits, breakdown and the two charts.
void AddSummarySheet(XlsxBook& book, const report::Report& report);
/// One row per finding and per limit that is missed, with columns for a review.
void AddFindingsSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);
void AddEvidenceSheet(XlsxBook& book, const report::Report& report, const EvidenceRows& evidence);
/// Computes where AddEvidenceSheet puts the evidence.
EvidenceRows PlaceEvidence(const report::Report& report);
/// Ops, kernels, iterations, GPUs and ranks, and every other table with rows.
void AddTableSheets(XlsxBook& book, const report::Report& report);
/// The row, from 0, of the head of a table that is the first on its sheet; nothing for others.
std::optional<std::size_t> XlsxHeadRow(const report::Report& report, std::string_view id);
void AddMetricsSheet(XlsxBook& book, const report::Report& report);
/// Baseline (differences and limits), Waterfall with its chart, Kernel changes, Op changes and Side
/// by side. Only with a comparison.
void AddComparisonSheets(XlsxBook& book, const report::Report& report);
/// Sources, hashes, options, environment, import log, and data missing in this workbook.
void AddAboutSheet(XlsxBook& book, const report::Report& report);

}  // namespace profgauge::render
