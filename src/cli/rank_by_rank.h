// Judges runs of many ranks by summaries of the ranks, which are joined, checked and ordered.
//
//   check ranks/  (128 files)
//     RecordingsNamed   128 paths
//     SummarizeEach     a few at a time: profile -> summary; the profile is freed
//     GiveRanks, CheckOneRun   on stand-ins: profiles with a summary and no events
//     Align             if ranks recorded different iterations: all are read once more
//   -> 128 stand-ins, in rank order, which JudgeRuns() takes like profiles
//
// Launches, the timeline and simulations are not available: they need events.
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
  SummarizedRanks ranks;   ///< In the order of the arguments.
  std::size_t failed = 0;  ///< Inputs that could not be read.
};

/// Reads the inputs of the command line, with as many profiles in memory as cores and memory allow
/// (cli/ranks_in_flight.h). Unreadable inputs are reported and counted. If ranks recorded different
/// iterations, all are read again in the same way. Errors: of the user's selection; several runs.
Result<RanksRead> ReadRankByRank(const Options& options, const analysis::Selection& selection,
                                 Console& console);

/// The files to read, one at a time, so that only one profile is in memory: those of a folder, or
/// of the only run below it. A folder that is one profile in many files is one entry.
std::vector<std::string> RecordingsNamed(const std::vector<std::string>& arguments);

/// True if the command line names more profiles than can be judged with their events: over 64, or
/// more than fit into memory. False if one of them is a summary, which is small. Reads no whole
/// profile.
bool NamesManyRanks(const Options& options);

/// Like ReadFiles(), but returns summaries if there are too many ranks to judge with events, unless
/// the options or the policy need events. Unreadable ranks are reported and counted. If results are
/// stored, they are an error instead (kInput "input/ranks-unreadable"), unless --allow-incomplete.
Result<std::vector<Profile>> ReadRanks(const Options& options, const rules::Policy& policy,
                                       Console& console);

}  // namespace profgauge::cli
