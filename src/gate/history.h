// The history of runs: an SQLite file that keeps a snapshot of each, by branch. No server.
//
// A run has its result (verdict) and its model; levels are runs from which on a changed speed is
// accepted. Files of another schema are refused (history_file.h).
//
// Writers in parallel wait for each other; what one changes is put in place by Save(), whole. A
// killed writer leaves the file as it was.
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

/// Data of a run without its snapshot.
struct HistoryRow {
  std::int64_t id = 0;    ///< Given by the store, ascending.
  std::int64_t time = 0;  ///< When it was added, Unix seconds; given by the caller.
  std::string branch;
  std::string commit;            ///< May be empty.
  std::string model;             ///< Empty: not said.
  std::string parents;           ///< Hashes of the commit's parents, by blanks; empty: unknown.
  std::int64_t commit_time = 0;  ///< Unix seconds; 0: unknown.
  std::string policy;            ///< Hash of the policy that judged it; empty: unknown.
  double median = 0;             ///< ns: of its iterations, given by the store; 0: unknown.
  std::string kind;              ///< KindOf() of its snapshot, given by the store.
  /// "pass"; "fail": slower than its baseline; "limits": failed by other limits or findings;
  /// "again": its change asks for another recording; "over": its change is over the limit, and
  /// undecided; "undecided": nothing could be compared;
  /// "no_verdict"; empty: unknown.
  std::string verdict;
};

/// A row of the history with its snapshot, which is some kilobytes.
struct HistoryEntry : HistoryRow {
  Snapshot snapshot;
};

/// An accepted level: from its run on the run's values are the level, for a reason that somebody
/// gave.
struct HistoryLevel {
  std::int64_t id = 0;   ///< Given by the store.
  std::int64_t run = 0;  ///< Id of the run.
  std::string reason, owner;
  std::string until;  ///< "2027-03-31", the last day on which it counts; empty: without end.
  std::int64_t time = 0;
  std::string by;  ///< Who wrote it, where that is known.
  /// Shares: what was accepted, and up to what; absent where that is unknown.
  std::optional<double> change = {}, up_to = {};
};

/// "history:main~10": the last 10 runs of branch `main`; without `~N`, the last one.
struct HistoryReference {
  std::string branch;
  std::int64_t count = 1;
};
/// Errors (kUsage): not of that form, or N is not 1 to 1000.
Result<HistoryReference> ParseHistoryReference(std::string_view text);

/// One open history file. Several processes may add to it. Not for several threads at a time. A
/// change is made whole or, after an error, not at all.
class History {
 public:
  /// Opens for reading; errors (kConfig) when missing, foreign, damaged or of another schema. An
  /// empty file is a history without runs.
  static Result<History> OpenToRead(const std::string& path);
  /// Opens for changing, as a new history where the file is missing or empty. Others wait until it
  /// goes away. Errors as above.
  static Result<History> OpenToAdd(const std::string& path);
  /// The same of the bytes of a file, without one: nothing is saved.
  static Result<History> OfBytes(std::string_view bytes, const std::string& path);

  /// Writes all changes; once. Without it the file stays as it was. Errors: kOutput.
  Status Save();

  /// Appends; returns the id given. With `level` the run starts one, in the same transaction.
  /// Errors (kConfig): "history/too-long" where a text exceeds its bound.
  Result<std::int64_t> Add(const HistoryEntry& entry,
                           const std::optional<HistoryLevel>& level = std::nullopt);
  /// Removes the runs with these ids and their levels, and the levels with those: all or none.
  /// Errors (kUsage): one is not there.
  Status Remove(const std::vector<std::int64_t>& runs,
                const std::vector<std::int64_t>& levels = {});
  /// The last `count` entries of `branch`, oldest first; all branches when it is empty.
  Result<std::vector<HistoryEntry>> Last(std::string_view branch, std::int64_t count);
  /// The same without snapshots: as cheap as a list.
  Result<std::vector<HistoryRow>> Rows(std::string_view branch, std::int64_t count);
  /// The snapshot of one run. Errors (kUsage): it is not there.
  Result<Snapshot> Load(std::int64_t id);
  /// The run that `text` names: an id, else a whole commit, else the start of one by at least four
  /// characters. If a commit has several runs, the last one. Errors (kUsage): none, or the start of
  /// several commits.
  Result<HistoryRow> Find(std::string_view text);

  /// The run of this profile on the branch; nothing where it has none.
  Result<std::optional<std::int64_t>> FindSource(std::string_view branch, std::string_view source);

  /// The branches that have runs, by name, with how many.
  Result<std::vector<std::pair<std::string, std::int64_t>>> Branches();

  /// All levels, oldest run first.
  Result<std::vector<HistoryLevel>> Levels();
  /// Marks a run; returns the level's id.
  Result<std::int64_t> Mark(const HistoryLevel& level);

 private:
  History(sqlite::Database database, std::string path)
      : database_(std::move(database)), path_(std::move(path)) {}
  Result<std::int64_t> InsertLevel(const HistoryLevel& level);
  Status InsertSnapshot(std::int64_t run, const HistoryRow& row, const Snapshot& snapshot);
  Result<const std::string*> Dictionary(std::int64_t id);

  std::optional<LockedHistory> file_;  // Absent: opened for reading.
  sqlite::Database database_;
  std::string path_;
  std::map<std::int64_t, std::string> dictionaries_;  // That were read.
};

}  // namespace profgauge::gate
