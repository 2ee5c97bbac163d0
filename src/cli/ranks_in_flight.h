// Reads many profiles, as many in parallel as cores and memory allow, and keeps only their
// summaries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/iterations.h"
#include "cli/options.h"
#include "model/profile.h"
#include "model/summary/summary.h"
#include "profgauge/error.h"
#include "report/redaction.h"

namespace profgauge::cli {

class Console;

struct SummarizedRanks {
  std::vector<Profile> stand_ins;  ///< Profiles that represent the summaries, without events.
  bool were_summaries = false;     ///< Some were summaries already, with iterations of their own.
};

/// The approximate memory in bytes for reading and analyzing a file, by its size and whether it is
/// compressed; 0 for a folder and for anything without a size.
std::uint64_t MemoryFor(const std::string& input);

/// Removes folders and hosts from summaries. REQUIRES: all are IsSummary().
void RedactSummaries(std::vector<Profile>& ranks, const report::Redaction& redaction);

/// Summarizes profiles that were read. Those that are summaries already are used as they are, after
/// checking that they have this selection. Errors: kInput, kUsage.
Result<SummarizedRanks> SummarizeRead(std::span<const Profile> profiles,
                                      const analysis::Selection& selection,
                                      const analysis::iterations::IterationsOfRun& run = {});

/// The result of each input, in their order, however many are read in parallel. Summaries are used
/// as they are, after checking that they have this selection. Errors: kInput; for summaries also
/// kUsage.
std::vector<Result<SummarizedRanks>> SummarizeEach(const std::vector<std::string>& inputs,
                                                   const Options& options,
                                                   const analysis::Selection& selection,
                                                   const analysis::iterations::IterationsOfRun& run,
                                                   Console& console);

}  // namespace profgauge::cli
