// The tables of the runs on a command line, for queries and exports.
//
//   statement or --tables -> wanted tables -> which of the two sources are needed
//
//   Origin::kEvents    rows are read from the profile in place, one row for each event
//   Origin::kReport    rows are those of a report: the run is judged for them
//   the history's      rows of a database, AddHistory()
//
// If a run has more ranks than memory holds, only its report's tables are complete; its events are
// read rank by rank, EachRank().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "model/profile.h"
#include "profgauge/error.h"
#include "query/relation.h"
#include "report/redaction.h"

namespace profgauge::cli {

class Console;

/// Every table of the schema.
query::Places AllTables();

/// A dataset, and the profiles from which its rows are read. `data()` points into the profiles, so
/// it must not outlive this object.
class QueryData {
 public:
  query::Dataset& data() { return data_; }
  const query::Dataset& data() const { return data_; }

  /// Reads the run of these options (their arguments) and fills the tables of `wanted`. `run` is
  /// its name, empty if there is only one. Events are read only if an event table is wanted, and
  /// the run is judged only if a report table is. Errors: of reading and judging; kInput
  /// "query/too-many-ranks", "summary/no-events".
  Status Add(const std::string& run, const Options& options, const query::Places& wanted,
             Console& console);

  /// Like Add(), but if only summaries of the run are known, leaves out events and returns false.
  Result<bool> AddWhole(const std::string& run, const Options& options, const query::Places& wanted,
                        Console& console);
  /// The error that explains why event tables cannot be filled. REQUIRES: AddWhole() left them out.
  Error NoEventsIn(const Options& options, const query::Places& wanted) const;
  /// For a run whose events AddWhole() left out: reads one rank's profile after the other, fills
  /// the tables of `events` and calls `use`. Skips ranks that are summaries; the tables note that.
  Status EachRank(const Options& options, const query::Places& events, Console& console,
                  const std::function<Status(const query::Dataset&)>& use);
  /// Reads the ranks of a run one after the other, each like `--rank` does, and calls `use` with
  /// the number and the tables of each. Only one input is in memory at a time. A rank without a
  /// number gets its position. A file in a folder that is no profile is skipped with a note.
  /// Errors: of reading, of `use`; "input/ranks-unreadable" if no file is a profile; those of
  /// CheckOneRun(), which runs at the end, when all ranks are known.
  static Status ForEachRank(const Options& options, const query::Places& wanted, Console& console,
                            const std::function<Status(std::int64_t rank, QueryData&)>& use);
  /// The rank and content hash of each profile. If names are hidden, a digest replaces the hash.
  std::vector<std::pair<std::int64_t, std::string>> Hashes(const Options& options) const;

  /// A note for each table of `wanted` without rows: "python_events is empty: …".
  std::vector<std::string> NotesOn(const query::Places& wanted) const;

 private:
  struct Judge;
  // Adds profiles that were read; the first one has `position` in the run.
  Result<bool> AddRead(const std::string& run, const Options& options, std::vector<Profile> read,
                       std::size_t position, const query::Places& wanted, Judge& judge);

  std::vector<std::unique_ptr<std::vector<Profile>>> profiles_;  // Before the rows that need them.
  query::Dataset data_;
};

// The history as tables for queries.

/// Fills history_runs and history_metrics, if `wanted` has them. The file is only read.
Status AddHistory(const std::string& path, const query::Places& wanted, query::Dataset& data);

// Applies `--redact` to rows that are read directly from profiles.

/// Replaces the rows of the run's events and facts by rows with hidden names. Rows of its report
/// are hidden already. Does nothing without a redaction. Reads the texts of all `ranks` once; cells
/// are replaced when they are read.
void RedactRows(const report::Redaction& redaction, const std::string& run,
                std::span<const Profile> ranks, query::Dataset& data);

}  // namespace profgauge::cli
