// Results that earlier commands left for later ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "model/duet.h"
#include "profgauge/error.h"

namespace profgauge::cli {

// Files that `check` leaves for `history add`: the summary of a run, its result, and its model.

/// The outputs of one check.
struct CheckedRun {
  std::string summary;              ///< run.pgsum; empty: the run could not be judged.
  std::string report;               ///< report.json beside it.
  std::string name, model, policy;  ///< From verdict.json; empty if not stated there.
};

/// Finds the checks in `path`: one for the folder of a report or its run.pgsum; one per job, by
/// name, for a folder of several jobs. Empty for anything else. A folder is that of a report if it
/// has our verdict.json, or both report.json and run.pgsum.
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

/// Judges a duet like `check` judges a run, with the same outputs. Folders A and B beside the
/// document may have profiles, which explain the change; only the blocks decide. Errors:
/// "duet/unreadable" and those of JudgeDuetRuns(), each with the file.
Result<int> CheckDuet(const std::string& file, const Options& options, Console& console);

/// Reads the document at `path`. Errors: kInput "duet/unreadable" and those of ReadDuet(), with the
/// file.
Result<Duet> LoadDuet(const std::string& path);

}  // namespace profgauge::cli
