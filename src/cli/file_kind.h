// Decides which files an output may replace: an earlier output of its kind, never anything else.
// The first matching line of this table decides:
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
// Files are recognized by their contents, never by their names: users name pages as they like, and
// another tool may also write a report.json.
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
  kForPeople,    ///< Policies and lists: people edit them, so none counts as ours.
  kDatabase,     ///< A scrubbed export, which looks like the original.
};

/// The kind in the metadata of rows in Parquet format.
inline constexpr std::string_view kRowsKind = "profgauge.rows";

/// True if the program may have written the file at `path` as an output of `kind`. False if it
/// cannot be read. Reads at most 64 KiB from its start and 4 KiB from its end, but workbooks whole.
bool IsOurs(const std::string& path, FileKind kind);

// Recognizes workbooks that this program wrote.

/// True if the file is a workbook whose properties name ProfGauge as its creator. False for
/// everything that cannot be read as one.
bool IsOurWorkbook(const std::string& path);

// The files that a run must not change: its inputs, and files of other programs.

/// The files with which the outputs of one run are compared, by identity. Paths may be relative.
struct KeptFiles {
  std::vector<std::string> inputs;   ///< Files; missing ones and "-" are ignored.
  std::vector<std::string> folders;  ///< Folders that profiles or rules are read from.
  std::string source_root;           ///< Folder of sources that the report shows; empty: none.
  bool force = false;                ///< Outputs may replace files of other programs, but no
                                     ///< inputs.
};

/// All inputs of the command line and the policy: profiles, baselines, history, marks, sources; the
/// policy with its bases, rules, names and devices.
KeptFiles KeptBy(const Options& options, const rules::Policy* policy = nullptr);

/// Checks whether an output of `kind` may replace the content of `path`: nothing, an empty file, a
/// device or pipe, or an earlier output. Follows links, so it recognizes an input under any name.
/// Errors: kUsage "usage/overwrites-input"; "usage/not-ours" unless `kept.force`.
Status CheckReplacing(const std::string& path, FileKind kind, const KeptFiles& kept);

/// Checks an output that is appended to a file. Any file that is no input is allowed, because
/// appending loses nothing.
Status CheckAppending(const std::string& path, const KeptFiles& kept);

}  // namespace profgauge::cli
