// The question of `profgauge query`: a statement, its parameters, and its profiles.
//
//   profgauge query  run.json.gz  "select name from kernels"      SQL
//                    run.json.gz  @NAME --param n=5               a saved query
//                    run.json.gz  - < q.sql                       standard input
//                    --schema [TABLE] [run.json.gz]               tables, or columns of one
//                    --list                                       the saved queries
//
// The last argument is the statement, unless --schema or --list takes its place; all others are
// profiles.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "query/query.h"
#include "query/relation.h"
#include "query/saved.h"
#include "rules/errors.h"
#include "rules/project.h"

namespace profgauge::cli {

class Console;

struct Question {
  std::string sql;
  std::string file;         ///< The file of the statement; empty: on the command line or saved.
  query::SavedQuery saved;  ///< `@NAME`; without a name: it is none.
  std::vector<std::string> profiles;
  query::Parameters parameters;
  std::vector<query::SavedQuery>
      known;  ///< All saved queries, where the table of them is asked for.
};

/// Errors: kUsage "query/sql", "query/param", "query/file", "query/no-such-table",
/// "query/no-such-query", "usage/conflict", "usage/arguments".
Result<Question> QuestionOf(const Options& options);

/// Shows the error of a statement of the command line beside it; returns the error that is still to
/// report. A saved query of profgauge.yaml has its place in that file instead. Errors that are not
/// of a statement are returned as they are.
Error Shown(Error error, const Question& question, Console& console);

// Saved queries of profgauge.yaml beside those that are compiled in.

/// Those of the configuration.
std::vector<query::SavedQuery> OwnQueries(const rules::Project& project);

/// The queries of the configuration, then the built-in ones with other names. Errors: the first of
/// the configuration.
Result<std::vector<query::SavedQuery>> SavedQueriesOf(const Options& options);

/// Prepares each statement against the schema, without a profile; required parameters get a value
/// of their type. Errors are at their place in the file. Empty: all are well formed.
rules::Errors CheckQueries(const std::vector<query::SavedQuery>& queries);

/// Whether the file is a configuration: by its name, or by keys that only configurations have
/// (`queries`, `jobs`). False where it is no YAML.
bool IsConfiguration(const std::string& path);

// A statement asked of one rank after the other, so that no more than one is in memory.

class Console;

/// The table `rows` with these columns, for `--then`. Errors: kUsage "query/sql" where two have one
/// name.
Result<query::RelationInfo> RowsTable(const std::vector<RowColumn>& columns);

struct RowsOfRanks {
  std::shared_ptr<query::MadeRows> rows;  ///< By rank.
  std::vector<std::string> notes;         ///< The tables that are empty in every rank.
};

/// Reads each rank by itself, as `--rank` has it, and asks it. `wanted`: the tables that the
/// statement reads. Errors: of reading; of the statement; kInput "query/out-of-memory" where the
/// rows are too many.
Result<RowsOfRanks> AskEachRank(const Options& options, const Question& question,
                                const query::Places& wanted, Console& console);

/// How long a statement may run: --timeout, else 60 s. It counts from Start(), so reading does not
/// count.
std::chrono::milliseconds TimeoutOf(const Options& options);

}  // namespace profgauge::cli
