// From paths to profiles: finds the format by content, reads, and puts the ranks of a run in order.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge {

/// Reads the (first) profile of a file or, for "-", from standard input. Errors: kInput, with what
/// the file is instead where that can be told (empty, a directory, a Git LFS pointer, an archive…).
Result<Profile> ReadProfile(const std::string& path, const ReadOptions& options);

/// The same of a file that may hold several recordings (a summary of each NeuronCore): all of them.
Result<std::vector<Profile>> ReadProfiles(const std::string& path, const ReadOptions& options);

/// What ReadRun read, and the files it left out because they are no profiles ("path: reason").
struct Run {
  std::vector<Profile> profiles;  ///< One per rank, in rank order.
  std::vector<std::string> skipped;
};

/// Reads one run: a file, several files, or a folder of them, one file per rank. In a folder, files
/// that are no profiles are left out; a file named by the caller must be one. Ranks are ordered by
/// the rank that they record, then by worker and file name.
Result<Run> LoadRun(const std::vector<std::string>& paths, const ReadOptions& options);

/// LoadRun without the list of what was left out.
Result<std::vector<Profile>> ReadRun(const std::vector<std::string>& paths,
                                     const ReadOptions& options);

}  // namespace profgauge
