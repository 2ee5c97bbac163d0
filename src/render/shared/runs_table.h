// Renderers of several runs in one report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profgauge/error.h"
#include "render/shared/renderer.h"
#include "report/runs.h"

namespace profgauge::render {

/// One page that contains each run's page and the comparison of each pair. With scripts, it shows
/// the one that the address selects; otherwise, all of them in sequence.
std::string RenderRunsHtml(const report::Runs& runs);
/// The page of several runs as three files: index.html, report.css and report.js.
std::vector<File> RenderRunsHtmlFiles(const report::Runs& runs);

/// {"schema", "tool", "runs": [report.json of each], "comparisons": [report.json of each pair]}.
std::string RenderRunsJson(const report::Runs& runs);

/// Verdicts, metrics × runs, the change of each pair, then each run's summary. A size limit drops
/// whole parts from the end, and a line says so.
std::string RenderRunsMarkdown(const report::Runs& runs, std::size_t max_bytes = kMarkdownBytes);
/// The text of a comment: verdicts and changes.
std::string RenderRunsSummary(const report::Runs& runs, std::size_t max_bytes);

/// Sheets Runs, Metrics (a column for each run) and Comparisons. Errors: those of RenderXlsx().
Result<std::string> RenderRunsXlsx(const report::Runs& runs);

/// A line for each run with its verdict, a line for each pair with the change of an iteration, then
/// metrics that are limited or changed, with a column for each run. If `options.verbosity` is 1,
/// each run is shown whole; if -1, only the verdicts.
std::string RenderRunsTerminal(const report::Runs& runs, const TerminalOptions& options);

// Metrics × runs: several runs in one table.

/// One metric of all runs. It points into the runs, which must outlive the row.
struct RunsRow {
  const report::Metric* metric = nullptr;      ///< From the first run that has it.
  bool is_limited = false;                     ///< The policy of a run limits it.
  std::vector<const report::Quantity*> cells;  ///< By run; nullptr: it has no value.
  std::vector<bool> is_best;                   ///< By run; several may be equally good, and only
                                               ///< those like the first run compete.
};

/// The rows in this order, each metric once:
///
///   1  the median iteration time, limited or not
///   2  limited metrics, in the order of the first policy that limits each
///   3  those that changed by at least 1 % (shares also by half a point), largest change first
///   4  with `all`: the others that some run has, in catalog order
///
/// Returns the first `most` rows; 0: all. Changes are relative to the first run with the metric.
/// Cost: O(metrics^2), some thousand comparisons of ids.
std::vector<RunsRow> RowsOfRuns(const report::Runs& runs, bool all, std::size_t most = 0);

/// False if this run is not comparable with the first one, does other work, or covers another
/// stretch of time.
bool IsLikeFirst(const report::Runs& runs, std::size_t run);

/// The cell's text; "–" without a value.
std::string RunsCell(const RunsRow& row, std::size_t run);

}  // namespace profgauge::render
