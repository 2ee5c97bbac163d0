// Reads ranks from their summaries, and checks for equal selections and iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/iterations/context.h"
#include "analysis/ranks/rank_summary.h"
#include "model/summary/summary.h"
#include "profgauge/error.h"

namespace profgauge::analysis::ranks {

/// Returns the stored summary, or a new one of a profile. Profiles among summaries are summarized
/// one at a time.
Result<Summary> SummaryFor(const Profile& profile, const Selection& selection);

/// Reads one rank. `position`: its number if none was recorded; `strings`: as for
/// ReadRankSummary(). Errors: kUsage "summary/other-selection"; kInput "summary/damaged".
Result<RankSummary> ReadRank(const Summary& summary, const std::string& path, std::size_t position,
                             const Selection& selection, std::shared_ptr<StringPool> strings);

/// The error kInput "summary/damaged".
Error UnreadableSummary(const std::string& path);

/// Whether this rank is requested; a negative number requests all.
bool IsChosen(const RankSummary& rank, std::int64_t wanted);
/// Returns the requested rank; all of them for a negative number. Errors: kUsage
/// "analysis/no-rank"; kInput "summary/other-iterations".
Result<std::vector<RankSummary>> Chosen(std::vector<RankSummary> ranks, std::int64_t wanted);

/// Returns contexts without events, for analyses of iterations and GPUs. They point into `ranks`,
/// which must outlive them.
std::vector<iterations::RankContext> ContextsOf(const std::vector<RankSummary>& ranks,
                                                const classify::Knowledge& knowledge);

}  // namespace profgauge::analysis::ranks
