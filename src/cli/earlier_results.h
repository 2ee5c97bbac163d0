// What earlier commands left for later ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "model/duet.h"
#include "profgauge/error.h"

namespace profgauge::cli {

// Files that `check` left for `history add`: the summary of a run, its result, and its
// model.

/// The outputs of one check.
struct CheckedRun {
  std::string summary;              ///< run.pgsum; empty: the run could not be judged.
  std::string report;               ///< report.json beside it.
  std::string name, model, policy;  ///< By verdict.json; empty: it is not there, or says nothing.
};

/// The checks that `path` is of: of the folder of a report or its run.pgsum one, of the folder of
/// several jobs one each, by name. Empty: it is something else. A folder counts as that of a report
/// if its verdict.json is ours, or if it has both report.json and run.pgsum.
///
///   profgauge-report/                     one job          several jobs
///     verdict.json                        of the run       of all jobs
///     run.pgsum, report.json              the run          not here
///     a/ run.pgsum, report.json, …        not here         the run of job a
std::vector<CheckedRun> FindCheckedRuns(const std::string& path);

// Folders of `python -m profgauge.duet`.

class Console;

/// The document of the only argument, if it is a duet's folder or file; else empty.
std::string DuetIn(const Options& options);

/// Judges it like `check` judges a run, and draws the same outputs. Folders A and B beside the
/// document may have profiles, which explain the change; only the blocks decide. Errors:
/// "duet/unreadable" and those of JudgeDuetRuns(), each with the file.
Result<int> CheckDuet(const std::string& file, const Options& options, Console& console);

/// The document at `path`. Errors: kInput "duet/unreadable" and those of ReadDuet(), with the file.
Result<Duet> LoadDuet(const std::string& path);

}  // namespace profgauge::cli
