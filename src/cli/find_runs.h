// Finds runs below a folder: profiles are recognized by their content and grouped by the layouts
// that frameworks use.
//
//   layout                                         a run is
//   run/rank0_trace.json  run/rank1_trace.json     files whose names differ only in the rank
//   run/HOST_1.TIME.pt.trace.json (and others)     the i-th file of each worker, by time
//   plugins/profile/SESSION/HOST.xplane.pb         all hosts of one session
//   run/a.json run/b.json, ranks in the contents   files of different ranks and one world size
//   anything else                                  each file by itself
//
// Reads only names and the first and last bytes of each file, not whole profiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli {

/// One run. `files` and `ranks` are in the order of ranks; files without a rank come first and have
/// no entry in `ranks`.
struct FoundRun {
  std::string name;                                    ///< Its path, from the folder; ranks as `*`.
  std::string format;                                  ///< As `inspect` calls it.
  std::vector<std::string> files;                      ///< By rank.
  std::vector<std::int64_t> ranks;                     ///< Ranks that names or files state.
  std::optional<std::int64_t> world_size, step, time;  ///< Time in nanoseconds since 1970.

  /// True if all ranks are present; nullopt if the number of ranks is unknown. A rank that two
  /// files record counts once.
  std::optional<bool> IsComplete() const;
  /// The command that judges the run, e.g. "profgauge check runs/step-20" for a folder of one run.
  std::string command;
};

struct FoundRuns {
  /// The runs, latest last: by the time in their names, then step, then modification time.
  std::vector<FoundRun> runs;
  std::vector<std::pair<std::string, std::string>> others;  ///< Up to five files, and their kinds.
  bool is_whole = true;  ///< All names were examined; false if there are more than kMostNames.
};

/// Searches the folders below `folder`, level by level, without following links. Errors: kInput
/// "input/missing" if there is no such folder. No run at all is no error: `runs` is empty. Cost:
/// opens every file below the folder.
Result<FoundRuns> FindRuns(const std::string& folder);

/// Like FindRuns(), but searches these files, and the contents of these folders.
FoundRuns FindRunsAmong(const std::vector<std::string>& paths);

/// The files of the only run below a folder. Empty if it has several runs, if others may be in
/// folders that were not searched, or if `folder` is no folder.
std::vector<std::string> FilesOfOnlyRun(const std::string& folder);

/// The error for a `folder` that is not one run, with a command for each of its runs.
Error NotOneRun(const FoundRuns& found, const std::string& folder);

/// Share `index` of `count` of a list of files, from 0: "2/8". Files are distributed in turns.
struct Part {
  std::size_t index = 0, count = 1;
  bool Has(std::size_t file) const { return file % count == index; }
};
/// Parses "2/8", part 2 of 8, counted from 0; empty: all files. Errors: kUsage "usage/bad-value"
/// unless 0 <= I < N.
Result<Part> ParsePart(const std::string& text);

}  // namespace profgauge::cli
