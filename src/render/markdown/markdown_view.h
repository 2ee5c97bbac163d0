// The views for templates/markdown, one per section of the document.
//
// All names are always present. The template engine escapes text; code spans, bars and headings are
// markup made here.
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

/// The most rows that a reader can take in; page and workbook have all. Each part shows the number
/// of omitted rows.
inline constexpr std::size_t kMarkdownLimits = 200, kMarkdownFindings = 100, kMarkdownEvidence = 15,
                             kMarkdownRows = 20;

/// Verdict, run, policy, diagnosis, reasons and losses of data.
boost::json::object MarkdownHeadView(const report::Report& report);
/// The summary, at most 200 words. `link`: location of the report; may be empty.
boost::json::object MarkdownSummaryView(const report::Report& report, std::string_view link);
boost::json::object MarkdownPlanView(const report::Report& report);
/// Limits by weight. `has_baseline` and `has_reason`: true if these columns are needed.
boost::json::object MarkdownGateView(const report::Report& report);
boost::json::object MarkdownBreakdownView(const report::Report& report);
/// The change against the baseline. REQUIRES: there is a comparison.
boost::json::object MarkdownChangeView(const report::Report& report);
boost::json::object MarkdownFindingsView(const report::Report& report);
boost::json::object MarkdownFindingView(const report::Finding& finding,
                                        const report::Labels& labels);
/// The rows of report::TellingRows(), with the columns of the table's look, else the first eight
/// with values.
boost::json::object MarkdownTableView(const Table& table, const report::Labels& labels);
boost::json::object MarkdownRulesView(const report::Report& report);
boost::json::object MarkdownMetricsView(const report::Report& report);
boost::json::object MarkdownNotesView(const report::Report& report);

}  // namespace profgauge::render
