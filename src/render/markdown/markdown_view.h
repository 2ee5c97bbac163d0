// The views that templates/markdown draws: one for each section of the document.
//
// All names are always present. Text is escaped by the template engine; code spans, bars and
// headings are markup made here.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>

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
/// Full or summary.
MarkdownShape MarkdownShapeOf(bool is_full);

boost::json::object MarkdownHeadView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownPlanView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownGateView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownBreakdownView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownChangeView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownFindingsView(const report::Report& report, const MarkdownShape& shape);
boost::json::object MarkdownFindingView(const report::Finding& finding, const MarkdownShape& shape,
                                        const report::Labels& labels);
boost::json::object MarkdownTableView(const Table& table, const MarkdownShape& shape,
                                      const report::Labels& labels);
boost::json::object MarkdownRulesView(const report::Report& report);
boost::json::object MarkdownMetricsView(const report::Report& report);
boost::json::object MarkdownNotesView(const report::Report& report);

}  // namespace profgauge::render
