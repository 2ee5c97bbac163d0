// Which files are ours: an output may take the place of an earlier one of its kind, never of
// anything else. The first line that fits decides:
//
//   the path has now                               output is allowed?
//   an input, by any of its names                  no, also with --force
//   nothing, an empty file, a device               yes
//   ours, below a folder of inputs                 yes, except traces and DLProf's reports
//   anything else below a folder of inputs         no, also with --force
//   ours, of the same kind                         yes
//   anything else below the folder of sources      no, also with --force
//   anything else                                  only with --force
//
// Files are recognized by their contents, never by their names: a user may name a page as they
// like, and a foreign report.json is not ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::cli {

enum class FileKind : std::uint8_t {
  kHtml,         ///< `<meta name="generator" content="profgauge …">`, or our comment at the end.
  kAsset,        ///< Style or script of a page, with our comment on its first line.
  kMarkdown,     ///< `<!-- profgauge… -->`
  kXlsx,         ///< Creator in the document's properties.
  kJson,         ///< report.json: `tool`.
  kVerdict,      ///< verdict.json: `kind`.
  kRow,          ///< Its first column is `row_schema`, or Parquet whose metadata say it.
  kRuns,         ///< The list of `inspect` of several runs: `kind`.
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
  kSummary,      ///< `kind`, in gzip.
  kTables,       ///< schema.json of `export tables`: `kind`.
  kTableStore,   ///< An SQLite file of `export tables`, by its application id.
  kHistory,      ///< An SQLite file with our application id.
  kForPeople,    ///< Policies and lists: people change them, so none counts as ours.
  kDatabase,     ///< A scrubbed export: nothing shows it from the original.
};

/// The kind in the metadata of rows as Parquet.
inline constexpr std::string_view kRowsKind = "profgauge.rows";

/// Whether the file at `path` is one that the program may have written as an output of `kind`.
/// False when it cannot be read. Reads at most 64 KiB from the start and 4 KiB from the end, of
/// workbooks the whole file.
bool IsOurs(const std::string& path, FileKind kind);

// Whether a workbook is one of ours.

/// Whether the file is a workbook whose properties name us as its creator. False for everything
/// that cannot be read as one.
bool IsOurWorkbook(const std::string& path);

// The files that a run must not touch: its inputs, and files of others.

/// Files that are compared with the outputs of one run. Paths may be relative; they are compared by
/// identity.
struct KeptFiles {
  std::vector<std::string> inputs;   ///< Files. Those that are missing, and "-", are no matter.
  std::vector<std::string> folders;  ///< Folders that profiles or rules are read from.
  std::string source_root;           ///< Folder of sources that the report shows; empty: none.
  bool force = false;                ///< Somebody else's files may go; inputs may not.
};

/// All inputs of the command line and the policy: profiles, baselines, history, policy with its
/// bases, rules, names, devices, marks, sources.
KeptFiles KeptBy(const Options& options, const rules::Policy* policy = nullptr);

/// Whether an output of `kind` may replace the current content of `path`: nothing, an empty file, a
/// device or pipe, or an earlier output. Links are followed, so every name of an input is known.
/// Errors: kUsage "usage/overwrites-input"; "usage/not-ours" unless `kept.force`.
Status CheckReplacing(const std::string& path, FileKind kind, const KeptFiles& kept);

/// The same for an output that is appended to, which loses nothing but is no input either: any file
/// that is not an input.
Status CheckAppending(const std::string& path, const KeptFiles& kept);

}  // namespace profgauge::cli
