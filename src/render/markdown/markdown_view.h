// The views that templates/markdown draws: one for each section of the document.
//
// All names are always present. Text is escaped by the template engine; code spans, bars and
// headings are markup made here.
//
//   document                               summary, for a comment
//   Verdict                                the verdict in a line, the change, what to do
//   Plan
//   Limits
//   Findings, finding, finding …
//   Change
//   Iteration time breakdown
//   tables
//   Other rules, Metrics, Notes
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <string_view>

#include "report/labels.h"
#include "report/report.h"

namespace profgauge::render {

/// Rows that a reader takes in; the page and the workbook have all. What is left out is counted
/// below each part.
inline constexpr std::size_t kMarkdownLimits = 200, kMarkdownFindings = 100, kMarkdownEvidence = 15,
                             kMarkdownRows = 20;

/// Verdict, run, policy, diagnosis, reasons and losses of data.
boost::json::object MarkdownHeadView(const report::Report& report);
/// The summary, at most 200 words. `link`: where the report is; may be empty.
boost::json::object MarkdownSummaryView(const report::Report& report, std::string_view link);
boost::json::object MarkdownPlanView(const report::Report& report);
/// Limits by weight; `has_baseline` and `has_reason`: whether these columns are needed.
boost::json::object MarkdownGateView(const report::Report& report);
boost::json::object MarkdownBreakdownView(const report::Report& report);
/// REQUIRES: there is a comparison.
boost::json::object MarkdownChangeView(const report::Report& report);
boost::json::object MarkdownFindingsView(const report::Report& report);
boost::json::object MarkdownFindingView(const report::Finding& finding,
                                        const report::Labels& labels);
/// The rows of report::TellingRows(), with the columns that the table's look names, else the first
/// eight that have values.
boost::json::object MarkdownTableView(const Table& table, const report::Labels& labels);
boost::json::object MarkdownRulesView(const report::Report& report);
boost::json::object MarkdownMetricsView(const report::Report& report);
boost::json::object MarkdownNotesView(const report::Report& report);

}  // namespace profgauge::render
