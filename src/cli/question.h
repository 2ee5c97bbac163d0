// The question of `profgauge query`: a statement, its parameters, and its profiles.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "query/saved.h"

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
/// report.
Error Shown(Error error, const Question& question, Console& console);

}  // namespace profgauge::cli
