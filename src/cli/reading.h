// Reading the profiles that a command line names, with a progress line.
//
//   ReadFiles         LoadFiles() of the arguments; may be several runs
//   ReadProfiles      the same, and refuses several runs
//   ReadBesideOthers  the same without a progress line: one of many read simultaneously
//   ReadRanks         (cli/rank_by_rank.h) summaries instead, where there are many ranks
//
// All of them find the only run below a folder that has no profile directly in it, and obey
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

/// Which iterations and ranks the command line selects.
EvaluateOptions Choices(const Options& options);

/// Which events the page and the trace draw; none when neither is wanted.
EventsInPage EventsOf(const Options& options);

/// The policy with the command line's overrides (`fail_on`); builtin:recommended where none is
/// named. Empty after its errors were reported.
std::optional<rules::Policy> ReadPolicy(const Options& options, Console& console);

/// Why the files of the command line are ranks of one run: --ranks as an enumeration.
readers::RanksFrom RanksOf(const Options& options);

/// `check` or `report`: their results are about the run; other commands keep it for later, or show
/// it.
bool IsJudging(const Options& options);

/// The inputs of the command line, which may be several runs: as LoadFiles. Errors: kInput.
Result<std::vector<Profile>> ReadFiles(const Options& options, Console& console);

/// One profile per rank of one run, in rank order. Errors: kInput.
Result<std::vector<Profile>> ReadProfiles(const Options& options, Console& console);
/// The same without a progress line: of one of many that are read side by side.
Result<std::vector<Profile>> ReadBesideOthers(const Options& options, Console& console);

}  // namespace profgauge::cli
