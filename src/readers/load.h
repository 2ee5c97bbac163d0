// From paths to profiles: finds the format by content, reads, and puts the ranks of a run in order.
//
//   paths ──> folder or archive? ──> LoadFolder: OutputsOf, ReadParts, captures, FullerThan
//     │                                   │
//     └─────> file ──────────────────> ReadProfiles: open, Peek, FindReader, ReadRanks
//                                         │
//   Settle, GiveRanks (ranks.h), documents of the run (run_side/), captures (folders.h), order
//
// All profiles of a run are in memory at the same time. Many files of similar size are read in
// parallel, with one thread each; other files sequentially, each with all threads.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/ranks.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Reads the (first) profile of a file or, for "-", from standard input. Errors: kInput, naming the
/// kind of the file if it is known (empty, a directory, a Git LFS pointer, an archive…).
Result<Profile> ReadProfile(const std::string& path, const ReadOptions& options);

/// Reads all profiles of a file, at least one: a summary has one for each NeuronCore. If the file's
/// name says that it is compressed and it is not, or the reverse, the import log counts it
/// (name_suffix_wrong).
Result<std::vector<Profile>> ReadProfiles(const std::string& path, const ReadOptions& options);

/// Reads files and folders. In a folder, files that are no profiles are skipped; a file named by
/// the caller must be a profile. Profiles are ordered by their recorded rank, then by worker and
/// file name. If the names in a log folder have times, only the latest profile is read. The
/// profiles of one folder must be able to be ranks of one run (except for RanksFrom::kNothing);
/// separate folders and files are not compared. A file of several training processes is split into
/// a profile of each. `ranks` decides how unrecorded ranks are set. Errors: kInput, and
/// "input/same-file-twice" if two paths are the same.
Result<Run> LoadFiles(const std::vector<std::string>& paths, const ReadOptions& options,
                      RanksFrom ranks = RanksFrom::kRecorded);

/// Like LoadFiles(), for one run: every profile is a rank of it. Errors: "input/several-runs" if it
/// is not, "input/ranks-unknown" if nothing states that it is.
Result<Run> LoadRun(const std::vector<std::string>& paths, const ReadOptions& options,
                    RanksFrom ranks = RanksFrom::kRecorded);

/// The files of a folder that has only one-file profiles, sorted by name, without files whose data
/// another file has, too. They may be read one by one. Empty for any other folder, e.g. if its
/// files are parts of one profile.
std::vector<std::string> RecordingsOf(const std::string& folder);

/// True if the file's name shows that it is a separate profile.
bool IsNamedAsRecording(const std::string& file);

/// True if `error` is about a file that is not a profile but that a folder may hold beside
/// profiles. An empty or unreadable file is judged by its name.
bool IsNoRecording(const Error& error);

/// True if `error` is about a file that probably is a rank: its name equals that of a profile
/// except for numbers. For an unreadable raw form, only the name up to the first dot is compared,
/// and no profile may have exactly this name.
bool IsLikelyRank(const Error& error, const std::vector<Profile>& profiles);

/// True if a profile has the file's name, except for numbers and suffixes of compression.
bool HasNameLike(const std::string& path, const std::vector<Profile>& profiles);

/// The order of a run's ranks: by recorded number; without one, by name, with "worker10" after
/// "worker9".
bool RanksBefore(const Profile& a, const Profile& b);

/// Like LoadRun(), but returns only its profiles.
Result<std::vector<Profile>> ReadRun(const std::vector<std::string>& paths,
                                     const ReadOptions& options,
                                     RanksFrom ranks = RanksFrom::kRecorded);

}  // namespace profgauge::readers
