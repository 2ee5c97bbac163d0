// Uses results that earlier commands left for later ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "model/duet.h"
#include "profgauge/error.h"

namespace profgauge::cli {

// The files that `check` leaves for `history add`: summary, result and model of a run.

/// The outputs of one check.
struct CheckedRun {
  std::string summary;              ///< run.pgsum; empty: the run could not be judged.
  std::string report;               ///< report.json beside it.
  std::string name, model, policy;  ///< From verdict.json; empty if not stated there.
};

/// Finds the checks in `path`: one if it is a report's folder or its run.pgsum; one per job, by
/// name, if it is a folder of several jobs; else none. A folder is that of a report if it has our
/// verdict.json, or both report.json and run.pgsum.
///
///   profgauge-report/                     one job          several jobs
///     verdict.json                        of the run       of all jobs
///     run.pgsum, report.json              the run          not here
///     a/ run.pgsum, report.json, …        not here         the run of job a
std::vector<CheckedRun> FindCheckedRuns(const std::string& path);

// Folders of `python -m profgauge.duet`.

class Console;

/// The path of the document, if the only argument is a duet's folder or document; else empty.
std::string DuetIn(const Options& options);

/// Judges a duet like `check` judges a run, with the same outputs. Folders A and B beside the
/// document may have profiles, which explain the change; only the blocks decide. Errors:
/// "duet/unreadable" and those of JudgeDuetRuns(), each with the file.
Result<int> CheckDuet(const std::string& file, const Options& options, Console& console);

/// Reads the document at `path`. Errors: kInput "duet/unreadable" and those of ReadDuet(), with the
/// file.
Result<Duet> LoadDuet(const std::string& path);

}  // namespace profgauge::cli
