// Which files are ours: an output may take the place of an earlier one of its kind, never of
// anything else.
#pragma once

#include <cstdint>
#include <string>

namespace profgauge::cli {

enum class FileKind : std::uint8_t {
  kHtml,         ///< `<meta name="generator" content="profgauge …">`, or our comment at the end.
  kAsset,        ///< Style or script of a page, with our comment on its first line.
  kMarkdown,     ///< `<!-- profgauge… -->`
  kXlsx,         ///< Creator in the document's properties.
  kJson,         ///< report.json: `tool`.
  kVerdict,      ///< verdict.json: `kind`.
  kRuns,         ///< The list of `find`: `kind`.
  kText,         ///< `profgauge: VERDICT`
  kDotenv,       ///< Variables called PROFGAUGE_….
  kTrace,        ///< A Chrome trace, gzipped or not: `otherData.tool`.
  kJunit,        ///< Test suites called profgauge.
  kSarif,        ///< `tool.driver.name`
  kGithub,       ///< Workflow commands.
  kGitlab,       ///< A list of code quality issues.
  kOpenMetrics,  ///< Metrics called profgauge_….
  kKernels,      ///< The head of `export kernels`, or the first key of `export netdict`.
  kNsys,         ///< The head of one of the reports of `export nsys`, as CSV or table.
  kDlprof,       ///< The title of one of DLProf's reports.
  kBaseline,     ///< `kind`
  kDuet,         ///< `kind`; measurements of a machine, by the first comment.
  kSummary,      ///< `kind`, in gzip.
  kTables,       ///< schema.json of `export tables`: `kind`.
  kTableStore,   ///< An SQLite file of `export tables`, by its application id.
  kHistory,      ///< An SQLite file with our application id.
  kForPeople,    ///< Policies and templates: people change them, so none counts as ours.
  kDatabase,     ///< A scrubbed export: nothing shows it from the original.
};

/// Whether the file at `path` is one that the program may have written as an output of `kind`.
/// False when it cannot be read.
bool IsOurs(const std::string& path, FileKind kind);

}  // namespace profgauge::cli
