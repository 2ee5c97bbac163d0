// What a row says of a run besides its report: when, of which commit, branch and job.
#pragma once

#include <cstdint>

#include "cli/options.h"
#include "report/run_row.h"

namespace profgauge::cli {

/// Unix seconds; SOURCE_DATE_EPOCH takes the place of the clock, so that runs of a script are
/// repeatable.
std::int64_t Now();

/// The commit is that of --commit, else of the CI, else what is checked out in the repository of
/// the policy, if no file differs. The branch likewise.
report::RowFacts RowFactsOf(const Options& options, int exit_code);

}  // namespace profgauge::cli
