// Renderers: pure functions from the report object to bytes. They know the report and nothing else.
//
//   report::Report --> RenderHtml, RenderMarkdown, RenderXlsx, RenderJson, RenderTerminal
//   render::Ending --> the same names (render/shared/ending.h), for a run without a report
//   report::Runs   --> RenderRuns… (render/shared/runs_table.h), for several runs
//   alerts         --> JUnit, SARIF, GitHub, GitLab, OpenMetrics (render/ci/ci.h)
//
// All of them: the same report gives the same bytes, with no clock, locale or address in them; none
// changes the report; any two may run simultaneously on one report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profgauge/error.h"
#include "report/report.h"

namespace profgauge::render {

/// report.json, schema 1: keys in a fixed order, two spaces of indentation, a final newline. An
/// absent value has its reason in its place; reals are the shortest text that reads back the same.
std::string RenderJson(const report::Report& report);

/// One self-contained page.
std::string RenderHtml(const report::Report& report);

struct File {
  std::string name;  ///< "index.html"
  std::string bytes;
};
/// The same page as index.html, report.css and report.js: for servers whose policy forbids inline
/// styles and scripts, as Jenkins' does.
std::vector<File> RenderHtmlFiles(const report::Report& report);

/// What a comment on GitHub takes.
inline constexpr std::size_t kMarkdownBytes = 65'000;
/// The Markdown document. With a limit (0: none), sections are dropped whole from the last one, and
/// a line says so.
std::string RenderMarkdown(const report::Report& report, std::size_t max_bytes = kMarkdownBytes);
/// The text of a comment or a step summary: the verdict in a line, why, and what to do, in at most
/// 200 words. `link`: where the report is; may be empty.
std::string RenderSummary(const report::Report& report, const std::string& link = {});

/// The bytes of an .xlsx workbook. Errors: kOutput when the library fails.
Result<std::string> RenderXlsx(const report::Report& report);

struct TerminalOptions {
  bool color = false;
  int width = 100;
  int verbosity = 0;        ///< -1 quiet: only the verdict line; 1: all passed limits too.
  bool fold_names = false;  ///< Kernel names lose long template and parameter lists.
};
/// At most `width` columns where words allow it. Control characters of names are made visible: a
/// profile must not move the cursor. Without color it has no escape sequence at all. A report that
/// is nothing but a comparison has neither color nor wrapped lines: RenderComparison().
std::string RenderTerminal(const report::Report& report, const TerminalOptions& options);
/// The plan as the terminal shows it. REQUIRES: it has steps.
std::string RenderPlan(const report::Plan& plan, std::size_t width);
/// The changes against the baseline, as a tree whose parts sum to the change; empty without one.
/// `verbosity` -1: the last line, the change as a whole.
std::string RenderComparison(const report::Report& report, int verbosity);

}  // namespace profgauge::render
