// Runs below a folder: profiles are recognized by their content, and grouped by the layouts in
// which frameworks leave them.
//
//   layout                                         a run is
//   run/rank0_trace.json  run/rank1_trace.json     files whose names differ only in the rank
//   run/HOST_1.TIME.pt.trace.json (and others)     the i-th file of each worker, by time
//   plugins/profile/SESSION/HOST.xplane.pb         all hosts of one session
//   run/a.json run/b.json, ranks in the contents   files of different ranks and one world size
//   anything else                                  each file by itself
//
// No profile is read whole for this: names, the first bytes of each file, and its last ones decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli {

/// One run. `files` and `ranks` are in the order of the ranks; a file without a rank comes first
/// and has no entry in `ranks`.
struct FoundRun {
  std::string name;                                    ///< Its path, from the folder; ranks as `*`.
  std::string format;                                  ///< As `inspect` calls it.
  std::vector<std::string> files;                      ///< By rank.
  std::vector<std::int64_t> ranks;                     ///< Those that names or files state.
  std::optional<std::int64_t> world_size, step, time;  ///< Time in nanoseconds since 1970.

  /// Whether all ranks are there; nothing where no one states how many there are. A rank that two
  /// files record counts once.
  std::optional<bool> IsComplete() const;
  /// "profgauge check runs/step-20": the folder where it has no other profiles.
  std::string command;
};

struct FoundRuns {
  /// The latest last: by the time in their names, by step, then by when they were changed.
  std::vector<FoundRun> runs;
  std::vector<std::pair<std::string, std::string>> others;  ///< Up to five files, and their kinds.
  bool is_whole = true;  ///< Whether all names were looked at: at most kMostNames.
};

/// Goes through the folders below, level by level, and follows no links. The
/// latest run is the last. Errors: kInput "input/missing" where there is no such folder. No run at
/// all is no error: `runs` is empty. Cost: opens every file below it.
Result<FoundRuns> FindRuns(const std::string& folder);

/// The same for files, and for the contents of folders.
FoundRuns FindRunsAmong(const std::vector<std::string>& paths);

/// The files of the only run below a folder; none where it has several, may have others in folders
/// that were not looked at, or is no folder.
std::vector<std::string> FilesOfOnlyRun(const std::string& folder);

/// Why `folder` is no one run, with a command for each of its runs.
Error NotOneRun(const FoundRuns& found, const std::string& folder);

/// The I-th of N shares of files, from 0: "2/8". They are dealt out one by one.
struct Part {
  std::size_t index = 0, count = 1;
  bool Has(std::size_t file) const { return file % count == index; }
};
/// "2/8" is part 2 of 8, counted from 0; empty: all. Errors: kUsage "usage/bad-value" unless 0 <= I
/// < N.
Result<Part> ParsePart(const std::string& text);

}  // namespace profgauge::cli
