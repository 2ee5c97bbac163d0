// A statement asked of one rank after the other, so that no more than one is in memory.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/question.h"
#include "profgauge/error.h"
#include "query/query.h"
#include "query/relation.h"

namespace profgauge::cli {

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

/// How long a statement may run.
std::chrono::milliseconds TimeoutOf(const Options& options);

}  // namespace profgauge::cli
