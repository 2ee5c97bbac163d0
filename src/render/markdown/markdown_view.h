// The views for templates/markdown, one for each section of the document.
//
// All names always exist. The template engine escapes text; code spans, bars and headings are
// markup that these functions make.
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

/// Most rows of each part that a reader can take in. The page and the workbook have all. Each part
/// shows the number of its omitted rows.
inline constexpr std::size_t kMarkdownLimits = 200, kMarkdownFindings = 100, kMarkdownEvidence = 15,
                             kMarkdownRows = 20;

/// The verdict, the run, the policy, the diagnosis, its reasons, and losses of data.
boost::json::object MarkdownHeadView(const report::Report& report);
/// The summary, at most 200 words. `link`: the address of the report; may be empty.
boost::json::object MarkdownSummaryView(const report::Report& report, std::string_view link);
boost::json::object MarkdownPlanView(const report::Report& report);
/// The limits, most severe first. `has_baseline` and `has_reason`: these columns are needed.
boost::json::object MarkdownGateView(const report::Report& report);
boost::json::object MarkdownBreakdownView(const report::Report& report);
/// The change against the baseline. REQUIRES: there is a comparison.
boost::json::object MarkdownChangeView(const report::Report& report);
boost::json::object MarkdownFindingsView(const report::Report& report);
boost::json::object MarkdownFindingView(const report::Finding& finding,
                                        const report::Labels& labels);
/// The rows of report::TellingRows(). Columns are those of the table's look or, if it has none, the
/// first eight that have values.
boost::json::object MarkdownTableView(const Table& table, const report::Labels& labels);
boost::json::object MarkdownRulesView(const report::Report& report);
boost::json::object MarkdownMetricsView(const report::Report& report);
boost::json::object MarkdownNotesView(const report::Report& report);

}  // namespace profgauge::render
