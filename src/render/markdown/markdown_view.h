// The views that templates/markdown draws: one for each section of the document.
//
// All names are always present. Text is escaped by the template engine; code spans, bars and
// headings are markup made here.
//
//   full document                          summary, for a comment
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

struct MarkdownShape {
  bool is_full = true;
  std::size_t findings = 10;       ///< Rows of the findings table.
  std::size_t gate_rows = 30;      ///< Rows of the gate table.
  std::size_t evidence_rows = 15;  ///< Rows below one finding.
  std::size_t table_rows = 20;     ///< Rows of ops, kernels, ….
};
/// Full or summary: how many rows each part has. Rows that are left out are counted below the part.
MarkdownShape MarkdownShapeOf(bool is_full);

/// Verdict, run, policy, diagnosis, reasons and losses of data.
boost::json::object MarkdownHeadView(const report::Report& report, const MarkdownShape& shape);
/// The summary, at most 200 words. `link`: where the report is; may be empty.
boost::json::object MarkdownSummaryView(const report::Report& report, std::string_view link);
boost::json::object MarkdownPlanView(const report::Report& report);
/// Limits by weight; `has_baseline` and `has_reason`: whether these columns are needed.
boost::json::object MarkdownGateView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownBreakdownView(const report::Report& report, const MarkdownShape& shape);
/// REQUIRES: there is a comparison.
boost::json::object MarkdownChangeView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownFindingsView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownFindingView(const report::Finding& finding, const MarkdownShape& shape,
                                        const report::Labels& labels);
/// The rows of report::TellingRows(), with the columns that the table's look names, else the first
/// eight that have values.
boost::json::object MarkdownTableView(const Table& table, const MarkdownShape& shape,
                                      const report::Labels& labels);
boost::json::object MarkdownRulesView(const report::Report& report);
boost::json::object MarkdownMetricsView(const report::Report& report);
boost::json::object MarkdownNotesView(const report::Report& report);
/// Adds "h2", the marks of a heading, and "full" to the view of a section.
void MarkdownFrame(const MarkdownShape& shape, boost::json::object& view);

}  // namespace profgauge::render
