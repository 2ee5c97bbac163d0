// Checks whether profiles are the ranks of one run.
//
// Two profiles are of different runs if they record the same rank; if they differ in world size,
// format, framework version or the size of a process group; or if both number their iterations
// without a common number. Ranks of a run are recorded at the same time, but hosts' clocks differ:
// dated profiles are of different runs if they are more than a minute apart. If they record no
// ranks, any gap is enough.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// Returns why two profiles are not ranks of one run ("both are rank 0"); nullopt if they may be.
/// Profiles of one file are always of one run. Symmetric except for the order in the text. Compares
/// the numbers of iterations and sizes of groups: O(rows of the host + collectives).
std::optional<std::string> WhyOfDifferentRuns(const Profile& a, const Profile& b);

/// Rejects two files of equal bytes: one of them is a copy or a link. `where` means the same as for
/// CheckMayBeOneRun(). Error: kInput "input/same-file-twice".
Status CheckNoFileTwice(const std::vector<Profile>& profiles, const std::string& where);

/// Rejects profiles of several runs, and the same file under two names. `where` is the folder, or
/// empty for files that were named individually. Errors: kInput "input/several-runs",
/// "input/same-file-twice", with the difference and the command for each run; "summary/other-run"
/// if one of them is a summary. O(profiles²) comparisons.
Status CheckMayBeOneRun(const std::vector<Profile>& profiles, const std::string& where);

/// Like CheckMayBeOneRun(), and rejects files if nothing states that they are ranks of one run,
/// with kInput "input/ranks-unknown". REQUIRES: GiveRanks() of readers/ranks.h was called.
Status CheckOneRun(const std::vector<Profile>& profiles, const std::string& where);

/// Quotes a path for a POSIX shell, if necessary. Bytes that a terminal would not show are
/// replaced, so the result may name no file.
std::string AsShellWord(const std::string& path);

/// The error that lists the runs; each element of `runs` has the files of one. Lists at most eight
/// runs, with at most eight files each.
Error SeveralRuns(const std::string& where, const std::string& why,
                  const std::vector<std::vector<std::string>>& runs);

/// In a log folder whose files are named HOST_PID.TIME, keeps the latest profile of each host and
/// rank, and returns the paths of the others. Nothing is removed if the folder has other names, or
/// two profiles without a recorded rank that may be ranks of one run:
///
///   host1_812.1700000000000.pt.trace.json   rank 0, Monday's run     earlier: taken out
///   host1_977.1700086400000.pt.trace.json   rank 0, Tuesday's run    kept
std::vector<std::string> KeepLatest(std::vector<Profile>& profiles);

}  // namespace profgauge::readers
