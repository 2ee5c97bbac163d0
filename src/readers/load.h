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

/// Reads all profiles of a file that may hold several (a summary of each NeuronCore); at least one.
/// If a name says that the file is compressed and it is not, or the reverse, the log counts it
/// (name_suffix_wrong).
Result<std::vector<Profile>> ReadProfiles(const std::string& path, const ReadOptions& options);

/// Reads files and folders. In a folder, files that are no profiles are left out; a file named by
/// the caller must be one. Profiles are ordered by their recorded rank, then by worker and file
/// name. In log folders whose names have the time, only the latest profile is read. The profiles of
/// one folder must be able to be ranks of one run (except for RanksFrom::kNothing); separate
/// folders and files are not compared. A file of several training processes is split into a profile
/// of each. `ranks` decides how unrecorded ranks are set. Errors: kInput; "input/same-file-twice"
/// also if a path occurs twice.
Result<Run> LoadFiles(const std::vector<std::string>& paths, const ReadOptions& options,
                      RanksFrom ranks = RanksFrom::kRecorded);

/// Like LoadFiles(), for one run: every profile is a rank of it. Errors: "input/several-runs" if
/// not, and "input/ranks-unknown" if nothing states it.
Result<Run> LoadRun(const std::vector<std::string>& paths, const ReadOptions& options,
                    RanksFrom ranks = RanksFrom::kRecorded);

/// The files of a folder that has only one-file profiles, sorted by name, without duplicates of
/// contents: these may be read one by one. Empty for any other folder, e.g. if its files are parts
/// of a profile.
std::vector<std::string> RecordingsOf(const std::string& folder);

/// True if the file's name shows that it is a separate profile.
bool IsNamedAsRecording(const std::string& file);

/// True if the file that gave the error is not a profile but a file that a folder may hold beside
/// profiles. An empty or unreadable file is judged by its name.
bool IsNoRecording(const Error& error);

/// True if the file that gave the error is probably a rank that failed: its name equals that of one
/// of the profiles except for numbers. If it is in an unreadable form, only the part before the
/// first dot is compared, and no other profile may have the same.
bool IsLikelyRank(const Error& error, const std::vector<Profile>& profiles);

/// True if one of the profiles has the file's name, except for numbers.
bool HasNameLike(const std::string& path, const std::vector<Profile>& profiles);

/// The order of a run's ranks: by recorded number; without one, by name, with "worker10" after
/// "worker9".
bool RanksBefore(const Profile& a, const Profile& b);

/// The profiles of LoadRun(), without its lists of skipped files and documents.
Result<std::vector<Profile>> ReadRun(const std::vector<std::string>& paths,
                                     const ReadOptions& options,
                                     RanksFrom ranks = RanksFrom::kRecorded);

}  // namespace profgauge::readers
