// Reads many profiles, as many simultaneously as cores and memory allow, and keeps the summary of
// each.
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
  std::vector<Profile> stand_ins;  ///< For their summaries, without events.
  bool were_summaries = false;     ///< Some were summaries already: of iterations of their own.
};

/// The approximate number of bytes of memory for reading and analyzing a file, by its size and by
/// whether it is compressed; 0 for a folder and for anything without a size.
std::uint64_t MemoryFor(const std::string& input);

/// Takes folders and hosts out of summaries. REQUIRES: IsSummary(all).
void RedactSummaries(std::vector<Profile>& ranks, const report::Redaction& redaction);

/// The summaries of profiles that were read; summaries among them are taken as they are once they
/// are found to be of this selection. Errors: kInput, kUsage.
Result<SummarizedRanks> SummarizeRead(std::span<const Profile> profiles,
                                      const analysis::Selection& selection,
                                      const analysis::iterations::IterationsOfRun& run = {});

/// The result of each input, in their order, however many are read simultaneously. Summaries are
/// taken as they are once they are found to be of this selection. Errors: kInput; of summaries also
/// kUsage.
std::vector<Result<SummarizedRanks>> SummarizeEach(const std::vector<std::string>& inputs,
                                                   const Options& options,
                                                   const analysis::Selection& selection,
                                                   const analysis::iterations::IterationsOfRun& run,
                                                   Console& console);

}  // namespace profgauge::cli
