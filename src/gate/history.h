// The history of runs: an SQLite file that keeps a snapshot of each, by branch. No server.
//
// Each addition is one transaction: writers in parallel wait for each other, and a killed writer
// leaves the file as it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite.h"
#include "gate/snapshot.h"
#include "profgauge/error.h"

namespace profgauge {

struct HistoryEntry {
  std::int64_t id = 0;    ///< Given by the store, ascending.
  std::int64_t time = 0;  ///< When it was added, Unix seconds; given by the caller.
  std::string branch;
  std::string commit;  ///< May be empty.
  Snapshot snapshot;
};

/// "history:main~10": the last 10 runs of branch `main`; without `~N`, the last one.
struct HistoryReference {
  std::string branch;
  std::int64_t count = 1;
};
/// Errors (kUsage): not of that form, or N is not 1 to 1000.
Result<HistoryReference> ParseHistoryReference(std::string_view text);

class History {
 public:
  /// Opens for reading; errors (kConfig) when missing, foreign, damaged or of a newer schema.
  static Result<History> OpenToRead(const std::string& path);
  /// Opens for adding, creating the file and its schema. Errors as above.
  static Result<History> OpenToAdd(const std::string& path);

  /// Appends; returns the id given.
  Result<std::int64_t> Add(const HistoryEntry& entry);
  /// Removes the runs with these ids, all or none. Errors (kUsage): one is not there.
  Status Remove(const std::vector<std::int64_t>& ids);
  /// The last `count` entries of `branch`, oldest first; all branches when it is empty.
  Result<std::vector<HistoryEntry>> Last(std::string_view branch, std::int64_t count);

 private:
  History(sqlite::Database database, std::string path)
      : database_(std::move(database)), path_(std::move(path)) {}
  static Result<History> Open(const std::string& path, sqlite::Mode mode);
  sqlite::Database database_;
  std::string path_;
};

}  // namespace profgauge
