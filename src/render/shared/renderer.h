// Renderers: pure functions from the report object to bytes, without other inputs.
//
//   report::Report --> RenderHtml, RenderMarkdown, RenderXlsx, RenderJson, RenderTerminal
//   render::Ending --> the same names (render/shared/ending.h), for a run without a report
//   report::Runs   --> RenderRuns… (render/shared/runs_table.h), for several runs
//   alerts         --> JUnit, SARIF, GitHub, GitLab, OpenMetrics (render/ci/ci.h)
//
// A report always gives the same bytes, whatever the clock, locale and addresses are. Renderers do
// not change the report, and any two may run concurrently on one report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profgauge/error.h"
#include "report/report.h"

namespace profgauge::render {

/// report.json, schema 1. Keys have a fixed order, the indent is two spaces, a newline ends it. An
/// absent value is replaced by its reason. Reals are the shortest text that reads back as the same.
std::string RenderJson(const report::Report& report);

/// The report as one self-contained page.
std::string RenderHtml(const report::Report& report);

struct File {
  std::string name;  ///< "index.html"
  std::string bytes;
};
/// The same page as three files, index.html, report.css and report.js, for servers whose policy
/// forbids inline styles and scripts, e.g. Jenkins.
std::vector<File> RenderHtmlFiles(const report::Report& report);

/// The size limit of a comment on GitHub.
inline constexpr std::size_t kMarkdownBytes = 65'000;
/// The Markdown document. With a limit (0: none), whole sections are dropped from the end, and a
/// line names them.
std::string RenderMarkdown(const report::Report& report, std::size_t max_bytes = kMarkdownBytes);
/// The text of a comment or step summary, at most 200 words: the verdict on a line, its reasons,
/// and what to do. `link`: the address of the report; may be empty.
std::string RenderSummary(const report::Report& report, const std::string& link = {});

/// The bytes of an .xlsx workbook. Errors: kOutput if the library fails.
Result<std::string> RenderXlsx(const report::Report& report);

struct TerminalOptions {
  bool color = false;
  int width = 100;
  int verbosity = 0;        ///< -1: only the verdict; 1: also passed limits.
  bool fold_names = false;  ///< Shortens lists in kernel names.
};
/// The report for a terminal, in at most `width` columns if words allow it. Control characters in
/// names are made visible, because a profile must not move the cursor. Without color, there are no
/// escape sequences. A report with only a comparison is shown by RenderComparison().
std::string RenderTerminal(const report::Report& report, const TerminalOptions& options);
/// The plan for a terminal. REQUIRES: the plan has steps.
std::string RenderPlan(const report::Plan& plan, std::size_t width);
/// The changes against the baseline, as a tree whose parts add up to the change. Empty if there is
/// no comparison. If `verbosity` is -1, only the last line, which is the whole change.
std::string RenderComparison(const report::Report& report, int verbosity);

}  // namespace profgauge::render
