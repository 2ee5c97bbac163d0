// The tables of the runs that a command line names, as queries and exports read them.
//
//   statement or --tables -> wanted tables -> which of the two halves is needed
//
//   Origin::kEvents    rows are read from the profile in place, one row for each event
//   Origin::kReport    rows are those of a report: the run is judged for them
//   the history's      rows of a database, AddHistory()
//
// A run of more ranks than memory holds has only its report's tables whole; its events come rank by
// rank, EachRank().
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

/// A dataset with the profiles that its rows are read from.
/// Owns the profiles; `data()` points into them. Neither may outlive this.
class QueryData {
 public:
  query::Dataset& data() { return data_; }
  const query::Dataset& data() const { return data_; }

  /// Reads the run of these options (their arguments) and fills the tables of `wanted`; `run` is
  /// its name, empty where there is one. Events are read only where a table of them is wanted, and
  /// the run is judged only where a table of its report is.
  /// Errors: of reading and judging; kInput "query/too-many-ranks", "summary/no-events".
  Status Add(const std::string& run, const Options& options, const query::Places& wanted,
             Console& console);

  /// The same, but of runs of which only summaries are known the events are left out: false then.
  Result<bool> AddWhole(const std::string& run, const Options& options, const query::Places& wanted,
                        Console& console);
  /// Why these tables of events cannot be filled. REQUIRES: AddWhole() left them out.
  Error NoEventsIn(const Options& options, const query::Places& wanted) const;
  /// For such a run: reads the profile of one rank after the other, fills the tables of `events`
  /// and calls `use` with them. Ranks that are summaries themselves are left out, which the tables
  /// then say.
  Status EachRank(const Options& options, const query::Places& events, Console& console,
                  const std::function<Status(const query::Dataset&)>& use);
  /// Reads the ranks of a run one after the other, each by itself as `--rank` has it, and calls
  /// `use` with the number and the tables of each. Only one input is in memory at a time. A rank
  /// without a number gets its position. A file of a folder that is no profile is left out with a
  /// note. Errors: of reading, of `use`; "input/ranks-unreadable" where no file is a profile; those
  /// of CheckOneRun(), at the end, when all ranks are known.
  static Status ForEachRank(const Options& options, const query::Places& wanted, Console& console,
                            const std::function<Status(std::int64_t rank, QueryData&)>& use);
  /// Rank and content hash of each profile; a digest of it where names of code are hidden.
  std::vector<std::pair<std::int64_t, std::string>> Hashes(const Options& options) const;

  /// "python_events is empty: …" for each of `wanted` without rows.
  std::vector<std::string> NotesOn(const query::Places& wanted) const;

 private:
  struct Judge;
  // The tables of profiles that were read, of which the first is at `position` of the run.
  Result<bool> AddRead(const std::string& run, const Options& options, std::vector<Profile> read,
                       std::size_t position, const query::Places& wanted, Judge& judge);

  std::vector<std::unique_ptr<std::vector<Profile>>> profiles_;  // Before the rows that need them.
  query::Dataset data_;
};

// The history as tables for queries.

/// Fills history_runs and history_metrics, where `wanted` has them. The file is only read.
Status AddHistory(const std::string& path, const query::Places& wanted, query::Dataset& data);

// The effect of `--redact` on rows that are read from profiles in place.

/// Puts rows with hidden names in place of those of the run's events and facts. Rows of its report
/// come from a report that hides its names already. Nothing happens without a redaction. Cost: one
/// pass over the texts of all `ranks`; each cell is hidden when it is read.
void RedactRows(const report::Redaction& redaction, const std::string& run,
                std::span<const Profile> ranks, query::Dataset& data);

}  // namespace profgauge::cli
