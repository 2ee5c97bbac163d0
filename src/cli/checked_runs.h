// Files that `check` left for `history add`: the summary of a run, its result, and its
// model.
#pragma once

#include <string>
#include <vector>

namespace profgauge::cli {

/// The outputs of one check.
struct CheckedRun {
  std::string summary;              ///< run.pgsum; empty: the run could not be judged.
  std::string report;               ///< report.json beside it.
  std::string name, model, policy;  ///< By verdict.json; empty: it is not there, or says nothing.
};

/// The checks that `path` is of: of the folder of a report or its run.pgsum one, of the folder of
/// several jobs one each, by name. Empty: it is something else.
std::vector<CheckedRun> FindCheckedRuns(const std::string& path);

}  // namespace profgauge::cli
