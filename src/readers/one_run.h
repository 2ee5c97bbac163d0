// Whether profiles are the ranks of one run.
//
// Two profiles are of different runs if they record the same rank, or if world size, format,
// framework version or the size of a process group differ, or if both number their iterations and
// have none in common. The ranks of a run are recorded at the same time, but hosts' clocks differ:
// recordings that both have a date are of different runs if more than a minute lies between them,
// without recorded ranks if anything does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// Why the two are not ranks of one run, in words ("both are rank 0"); nothing if they may be.
/// Profiles of one file are always of one run. Symmetric except for the order of the words. O(rows
/// of the host + collectives), for the numbers of iterations and the sizes of groups.
std::optional<std::string> WhyOfDifferentRuns(const Profile& a, const Profile& b);

/// Refuses the same bytes under two names: one of them was copied or linked. `where`: as below.
/// Errors: kInput "input/same-file-twice".
Status CheckNoFileTwice(const std::vector<Profile>& profiles, const std::string& where);

/// Refuses profiles of several runs, and the same file under two names. `where` is the folder, or
/// empty for files that were named one by one. Errors: kInput "input/several-runs",
/// "input/same-file-twice", with the difference and the command for each run; where a summary is
/// among them "summary/other-run". O(profiles²) comparisons.
Status CheckMayBeOneRun(const std::vector<Profile>& profiles, const std::string& where);

/// The same, and refuses files of which nothing states that they are ranks of one run.
/// Errors: also kInput "input/ranks-unknown". REQUIRES: GiveRanks() of readers/ranks.h was called.
Status CheckOneRun(const std::vector<Profile>& profiles, const std::string& where);

/// A path as a word of a command line, quoted for a POSIX shell if it needs to be. Bytes that a
/// terminal would not show are replaced, so the word may name no file.
std::string AsShellWord(const std::string& path);

/// Errors that say which runs there are: each element of `runs` is the files of one. Names at most
/// eight runs and of each at most eight files.
Error SeveralRuns(const std::string& where, const std::string& why,
                  const std::vector<std::vector<std::string>>& runs);

/// In a log folder whose files are called HOST_PID.TIME, keeps the latest of each host and rank.
/// Returns the paths of the others. Folders with other names stay whole, and so do those with two
/// profiles of no recorded rank that may be ranks of one run:
///
///   host1_812.1700000000000.pt.trace.json   rank 0, Monday's run     earlier: taken out
///   host1_977.1700086400000.pt.trace.json   rank 0, Tuesday's run    kept
std::vector<std::string> KeepLatest(std::vector<Profile>& profiles);

}  // namespace profgauge::readers
