// The question of `profgauge query`: a statement, its parameters, and its profiles.
//
//   profgauge query  run.json.gz  "select name from kernels"      SQL
//                    run.json.gz  @NAME --param n=5               a saved query
//                    run.json.gz  - < q.sql                       standard input
//                    --schema [TABLE] [run.json.gz]               tables, or columns of one
//                    --list                                       the saved queries
//
// The last argument is the statement, unless --schema or --list is given; all others are profiles.
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
  std::string file;         ///< File of the statement; empty: from the command line or saved.
  query::SavedQuery saved;  ///< `@NAME`; empty name: none.
  std::vector<std::string> profiles;
  query::Parameters parameters;
  std::vector<query::SavedQuery> known;  ///< All saved queries, if their table is needed.
};

/// Parses the command line. Errors: kUsage "query/sql", "query/param", "query/file",
/// "query/no-such-table", "query/no-such-query", "usage/conflict", "usage/arguments".
Result<Question> QuestionOf(const Options& options);

/// Shows the error of a command line statement with its place in it, and returns the error that is
/// still to be reported. For a saved query of profgauge.yaml, the place is in that file. Errors
/// that are not about a statement are returned unchanged.
Error Shown(Error error, const Question& question, Console& console);

// Finds saved queries: those of profgauge.yaml, and the built-in ones.

/// The saved queries of the configuration.
std::vector<query::SavedQuery> OwnQueries(const rules::Project& project);

/// The queries of the configuration, then the built-in ones with other names. Errors: the
/// configuration's first error.
Result<std::vector<query::SavedQuery>> SavedQueriesOf(const Options& options);

/// Prepares each statement against the schema, without a profile. Required parameters get a value
/// of their type. Errors have their place in the file. Empty if all statements are valid.
rules::Errors CheckQueries(const std::vector<query::SavedQuery>& queries);

/// True if the file is a configuration, by its name or by keys that only configurations have
/// (`queries`, `jobs`). False if it is not YAML.
bool IsConfiguration(const std::string& path);

// Runs a statement on one rank after the other, so that only one rank is in memory.

class Console;

/// The table `rows` with these columns, for `--then`. Errors: kUsage "query/sql" if two columns
/// have the same name.
Result<query::RelationInfo> RowsTable(const std::vector<RowColumn>& columns);

struct RowsOfRanks {
  std::shared_ptr<query::MadeRows> rows;  ///< By rank.
  std::vector<std::string> notes;         ///< The tables that are empty in every rank.
};

/// Reads each rank separately, like `--rank` does, and runs the statement on it. `wanted` are the
/// tables that the statement reads. Errors: of reading; of the statement; kInput
/// "query/out-of-memory" if there are too many rows.
Result<RowsOfRanks> AskEachRank(const Options& options, const Question& question,
                                const query::Places& wanted, Console& console);

/// The time limit of a statement: --timeout, else 60 s. It starts at Start(), after reading.
std::chrono::milliseconds TimeoutOf(const Options& options);

}  // namespace profgauge::cli
