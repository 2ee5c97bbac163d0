// From paths to profiles: finds the format by content, reads, and puts the ranks of a run in order.
//
//   paths ──> folder or archive? ──> LoadFolder: OutputsOf, ReadParts, captures, FullerThan
//     │                                   │
//     └─────> file ──────────────────> ReadProfiles: open, Peek, FindReader, ReadRanks
//                                         │
//   Settle, GiveRanks (ranks.h), documents of the run (run_side/), captures (folders.h), order
//
// All profiles of a run are in memory at the same time. Many files of similar size
// are read simultaneously, one thread each; others one after the other, by all threads each.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/ranks.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Reads the (first) profile of a file or, for "-", from standard input. Errors: kInput, with the
/// kind of the file instead if it is known (empty, a directory, a Git LFS pointer, an archive…).
Result<Profile> ReadProfile(const std::string& path, const ReadOptions& options);

/// The same of a file that may hold several profiles (a summary of each NeuronCore): all of them,
/// at least one. A name that says compressed of a file that is not, or the reverse, is counted in
/// the log (name_suffix_wrong).
Result<std::vector<Profile>> ReadProfiles(const std::string& path, const ReadOptions& options);

/// Reads files and folders of them. In a folder, files that are no profiles are left out; a file
/// named by the caller must be one. Profiles are ordered by the rank that they record, then by
/// worker and file name. In log folders whose names state the time, only the latest profile is
/// read. The profiles of one folder must be able to be ranks of one run (except for
/// RanksFrom::kNothing); several folders and files are not compared. A file of several processes
/// that train is split into a profile of each. Ranks that are not recorded are given as `ranks`
/// says. Errors: kInput; "input/same-file-twice" also when a path is given twice.
Result<Run> LoadFiles(const std::vector<std::string>& paths, const ReadOptions& options,
                      RanksFrom ranks = RanksFrom::kRecorded);

/// The same of one run: every profile is a rank of it. Errors: "input/several-runs" otherwise, and
/// "input/ranks-unknown" where nothing states it.
Result<Run> LoadRun(const std::vector<std::string>& paths, const ReadOptions& options,
                    RanksFrom ranks = RanksFrom::kRecorded);

/// The files of a folder of nothing but recordings of one file each, by their names, without those
/// whose contents others repeat: files that may be read one by one. Empty for every other folder,
/// e.g. for one whose files are parts of a profile.
std::vector<std::string> RecordingsOf(const std::string& folder);

/// Whether the file is by its name a separate profile.
bool IsNamedAsRecording(const std::string& file);

/// Whether the file that gave the error is something else than a profile, which a folder may hold
/// beside them. An empty file, or one that cannot be opened, is judged by its name.
bool IsNoRecording(const Error& error);

/// Whether the file that gave the error is a rank that failed, by its name: that is the name of one
/// of the profiles except for its numbers. For a profile in a form that is not read, the name up to
/// the first dot counts, and no other profile has the same.
bool IsLikelyRank(const Error& error, const std::vector<Profile>& profiles);

/// Whether one of the profiles has the file's name, except for its numbers.
bool HasNameLike(const std::string& path, const std::vector<Profile>& profiles);

/// The order of a run's ranks: by their recorded number; without one, by the names, where
/// "worker10" comes after "worker9".
bool RanksBefore(const Profile& a, const Profile& b);

/// The profiles of LoadRun(), without its lists of skipped files and of documents.
Result<std::vector<Profile>> ReadRun(const std::vector<std::string>& paths,
                                     const ReadOptions& options,
                                     RanksFrom ranks = RanksFrom::kRecorded);

}  // namespace profgauge::readers
