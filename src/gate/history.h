// The history of runs: an SQLite file that keeps a snapshot of each run, by branch. No server.
//
// A run is stored with its verdict and its model. A level is a run from which on a changed speed is
// accepted. Files of another schema are rejected (history_file.h).
//
// Parallel writers wait for each other. Save() replaces the whole file, so a killed writer leaves
// the file unchanged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite.h"
#include "gate/history_file.h"
#include "gate/snapshot.h"
#include "profgauge/error.h"

namespace profgauge::gate {

/// Data of a run, without its snapshot.
struct HistoryRow {
  std::int64_t id = 0;    ///< Given by the store, ascending.
  std::int64_t time = 0;  ///< When it was added, Unix seconds; given by the caller.
  std::string branch;
  std::string commit;   ///< May be empty.
  std::string model;    ///< Name of the model; empty: not given.
  std::string parents;  ///< Hashes of the commit's parents, separated by spaces; empty: unknown.
  std::int64_t commit_time = 0;  ///< Unix seconds; 0: unknown.
  std::string policy;            ///< Hash of the policy that judged it; empty: unknown.
  double median = 0;             ///< Median of its iterations in ns, set by the store; 0: unknown.
  std::string kind;              ///< KindOf() of its snapshot, set by the store.
  /// "pass"; "fail": slower than its baseline; "limits": failed by other limits or findings;
  /// "again": its change asks for another profile; "over": its change is over the limit, and
  /// undecided or waived; "undecided": nothing could be compared; "no_verdict"; empty: unknown.
  std::string verdict;
};

/// A row of the history with its snapshot, which has some kilobytes.
struct HistoryEntry : HistoryRow {
  Snapshot snapshot;
};

/// An accepted level: from its run on, the run's values are the new level. A user gave the reason.
struct HistoryLevel {
  std::int64_t id = 0;   ///< Given by the store.
  std::int64_t run = 0;  ///< Id of the run.
  std::string reason, owner;
  std::string until;  ///< "2027-03-31", the last day on which it counts; empty: without end.
  std::int64_t time = 0;
  std::string by;  ///< The user who wrote it; empty: unknown.
  /// The accepted change and its bound, as shares; absent if unknown.
  std::optional<double> change = {}, up_to = {};
};

/// Names runs: "history:main~10" is the last 10 of branch `main`; without `~N`, the last one.
struct HistoryReference {
  std::string branch;
  std::int64_t count = 1;
};
/// Parses "history:BRANCH~N". Errors (kUsage): another form, or N is not 1 to 1000.
Result<HistoryReference> ParseHistoryReference(std::string_view text);

/// An open history file. Several processes may add to it; one object is not for several threads. A
/// change is made completely or, after an error, not at all.
class History {
 public:
  /// Opens for reading. Errors (kConfig): missing, foreign, damaged, or of another schema. An empty
  /// file is a history without runs.
  static Result<History> OpenToRead(const std::string& path);
  /// Opens for writing; a missing or empty file becomes a new history. Other writers wait until
  /// this object is destroyed. Errors: as OpenToRead(), except for a missing file.
  static Result<History> OpenToAdd(const std::string& path);
  /// Opens the bytes of a history file in memory; nothing can be saved.
  static Result<History> OfBytes(std::string_view bytes, const std::string& path);

  /// Writes all changes; otherwise the file stays unchanged. May be called once. Errors: kOutput.
  Status Save();

  /// Appends a run and returns its id. With `level`, the run starts a level, in the same
  /// transaction. Errors (kConfig): "history/too-long" if a text exceeds its bound.
  Result<std::int64_t> Add(const HistoryEntry& entry,
                           const std::optional<HistoryLevel>& level = std::nullopt);
  /// Removes these runs with their levels, and the levels with the ids in `levels`: either all or,
  /// on an error, none. Errors (kUsage): an id does not exist.
  Status Remove(const std::vector<std::int64_t>& runs,
                const std::vector<std::int64_t>& levels = {});
  /// The last `count` entries of `branch`, oldest first. If it is empty, those of all branches.
  Result<std::vector<HistoryEntry>> Last(std::string_view branch, std::int64_t count);
  /// Like Last(), but without snapshots, which is cheap.
  Result<std::vector<HistoryRow>> Rows(std::string_view branch, std::int64_t count);
  /// The snapshot of one run. Errors (kUsage): the run does not exist.
  Result<Snapshot> Load(std::int64_t id);
  /// Finds the run that `text` names: an id, a full commit, or the start of a commit (at least four
  /// characters). For a commit with several runs, returns the last one. Errors (kUsage): no such
  /// run, or several commits with this start.
  Result<HistoryRow> Find(std::string_view text);

  /// The id of the branch's run with this profile; nothing if there is none.
  Result<std::optional<std::int64_t>> FindSource(std::string_view branch, std::string_view source);

  /// The branches that have runs, by name, each with its number of runs.
  Result<std::vector<std::pair<std::string, std::int64_t>>> Branches();

  /// All levels, oldest run first.
  Result<std::vector<HistoryLevel>> Levels();
  /// Stores a level for its run; returns the level's id.
  Result<std::int64_t> Mark(const HistoryLevel& level);

 private:
  History(sqlite::Database database, std::string path)
      : database_(std::move(database)), path_(std::move(path)) {}
  Result<std::int64_t> InsertLevel(const HistoryLevel& level);
  Status InsertSnapshot(std::int64_t run, const HistoryRow& row, const Snapshot& snapshot);
  Result<const std::string*> Dictionary(std::int64_t id);

  std::optional<LockedHistory> file_;  // Absent if opened for reading.
  sqlite::Database database_;
  std::string path_;
  std::map<std::int64_t, std::string> dictionaries_;  // Dictionaries read so far.
};

}  // namespace profgauge::gate
