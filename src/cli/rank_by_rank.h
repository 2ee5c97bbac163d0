// Runs of many ranks by their summaries: the summaries are joined, checked and put in order.
//
//   check ranks/  (128 files)
//     RecordingsNamed   128 paths
//     SummarizeEach     a few at a time: profile -> summary; the profile is let go
//     GiveRanks, CheckOneRun   on stand-ins: profiles with a summary and no events
//     Align             if ranks recorded different iterations: all are read once more
//   -> 128 stand-ins, in rank order, which JudgeRuns() takes like profiles
//
// Launches, the timeline and simulations are lost: they need events.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "cli/options.h"
#include "cli/ranks_in_flight.h"
#include "model/profile.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::cli {

class Console;

struct RanksRead {
  SummarizedRanks ranks;   ///< As they were named.
  std::size_t failed = 0;  ///< Inputs that could not be read.
};

/// Reads the inputs of the command line, with as many profiles in memory as cores and memory allow
/// (cli/ranks_in_flight.h). Inputs that cannot be read are reported and counted. Where ranks
/// recorded different iterations all are read once more, in the same way.
/// Errors: those of the user's choice (another selection); several runs.
Result<RanksRead> ReadRankByRank(const Options& options, const analysis::Selection& selection,
                                 Console& console);

/// The files to read, one at a time, so that no more than one profile is in memory: those of a
/// folder, or of the only run below it. Folders that are one profile in many files stay whole.
std::vector<std::string> RecordingsNamed(const std::vector<std::string>& arguments);

/// Whether the command line names more recordings than are judged with their events: over 64, or
/// more than memory holds. False where one of them is a summary, which is small already. Reads no
/// profile whole.
bool NamesManyRanks(const Options& options);

/// As ReadFiles, but of more ranks than are judged with their events the summaries, unless the
/// options or the policy ask for events. Ranks that cannot be read are reported and counted; for
/// results that are kept they are an error (kInput "input/ranks-unreadable"), unless
/// --allow-incomplete.
Result<std::vector<Profile>> ReadRanks(const Options& options, const rules::Policy& policy,
                                       Console& console);

}  // namespace profgauge::cli
