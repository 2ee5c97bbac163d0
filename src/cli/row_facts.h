// Data of a row about a run that is not in its report: time, commit, branch and job.
#pragma once

#include <cstdint>

#include "cli/options.h"
#include "report/run_row.h"

namespace profgauge::cli {

/// Unix seconds; SOURCE_DATE_EPOCH replaces the clock, so that runs of a script are repeatable.
std::int64_t Now();

/// The commit is from --commit, else from the CI, else the one checked out in the repository of the
/// policy, provided no file differs. The same for the branch.
report::RowFacts RowFactsOf(const Options& options, int exit_code);

}  // namespace profgauge::cli
