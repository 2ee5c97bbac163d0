// Runs below a folder: profiles are recognized by their content, and grouped by the layouts in
// which frameworks leave them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profgauge/error.h"

namespace profgauge::cli {

struct FoundRun {
  std::string name;                                    ///< Its path, from the folder; ranks as `*`.
  std::string format;                                  ///< As `inspect` calls it.
  std::vector<std::string> files;                      ///< By rank.
  std::vector<std::int64_t> ranks;                     ///< Those that names or files state.
  std::optional<std::int64_t> world_size, step, time;  ///< Time in nanoseconds since 1970.

  /// Whether all ranks are there; nothing where no one states how many there are.
  std::optional<bool> IsComplete() const;
  /// "profgauge check runs/step-20": the folder where it has no other profiles.
  std::string command;
};

struct FoundRuns {
  /// The latest last: by the time in their names, by step, then by when they were changed.
  std::vector<FoundRun> runs;
  std::vector<std::pair<std::string, std::string>> others;  ///< Up to five files, and their kinds.
  bool is_whole = true;  ///< Whether all names were looked at: at most 100 000.
};

/// Goes down six folders and follows no links. Errors: kInput where there is no such folder.
Result<FoundRuns> FindRuns(const std::string& folder);

/// The same for files, and for the contents of folders.
FoundRuns FindRunsAmong(const std::vector<std::string>& paths);

/// The files of the only run below a folder; none where it has several, or is no folder.
std::vector<std::string> FilesOfOnlyRun(const std::string& folder);

/// The run of `step`: a number, or "latest". Errors: kInput "input/no-step".
Result<FoundRun> RunOfStep(const FoundRuns& found, const std::string& folder,
                           const std::string& step);

/// Why `folder` is no one run, with a command for each of its runs.
Error NotOneRun(const FoundRuns& found, const std::string& folder);

/// The I-th of N shares of files, from 0: "2/8". They are dealt out one by one.
struct Part {
  std::size_t index = 0, count = 1;
  bool Has(std::size_t file) const { return file % count == index; }
};
/// Errors: kUsage "usage/bad-value". Empty: all.
Result<Part> ParsePart(const std::string& text);

}  // namespace profgauge::cli
