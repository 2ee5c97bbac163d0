// Reads the profiles on a command line, with a progress line.
//
//   ReadFiles         LoadFiles() of the arguments; may be several runs
//   ReadProfiles      the same, and rejects several runs
//   ReadBesideOthers  the same without a progress line: one of many read in parallel
//   ReadRanks         (cli/rank_by_rank.h) summaries instead, if there are many ranks
//
// If a folder has no profile directly in it, all of them use the only run below it. They obey
// --step-times and --device-log.
#pragma once

#include <optional>
#include <vector>

#include "api/session.h"
#include "cli/options.h"
#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/ranks.h"
#include "rules/policy.h"

namespace profgauge::cli {

class Console;

/// The iterations and ranks that the command line selects.
EvaluateOptions Choices(const Options& options);

/// Which events the page and the trace show; none if neither is written.
EventsInPage EventsOf(const Options& options);

/// The policy with the command line's overrides (`fail_on`); builtin:recommended if none is named.
/// nullopt after its errors were reported.
std::optional<rules::Policy> ReadPolicy(const Options& options, Console& console);

/// By --ranks: which sources may make the files of the command line ranks of one run.
readers::RanksFrom RanksOf(const Options& options);

/// True for `check` and `report`, whose results are about the run. Other commands store or show it.
bool IsJudging(const Options& options);

/// Reads the inputs of the command line, which may be several runs, by LoadFiles(). Errors: kInput.
Result<std::vector<Profile>> ReadFiles(const Options& options, Console& console);

/// Reads one profile per rank of one run, in rank order. Errors: kInput.
Result<std::vector<Profile>> ReadProfiles(const Options& options, Console& console);
/// Like ReadProfiles(), but without a progress line, because many profiles are read in parallel.
Result<std::vector<Profile>> ReadBesideOthers(const Options& options, Console& console);

}  // namespace profgauge::cli
