// Data of a row about a run that its report does not have: time, commit, branch and job.
#pragma once

#include <cstdint>

#include "cli/options.h"
#include "report/run_row.h"

namespace profgauge::cli {

/// The time in Unix seconds. SOURCE_DATE_EPOCH replaces the clock so that runs are repeatable.
std::int64_t Now();

/// Finds the commit: that of --commit, else the CI's, else the one that is checked out in the
/// policy's repository, if no file differs from it. The branch is found in the same way.
report::RowFacts RowFactsOf(const Options& options, int exit_code);

}  // namespace profgauge::cli
