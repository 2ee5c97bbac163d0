// Ranks from their summaries, checked: of this selection, of the same iterations.
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

/// As read, or made now. Contexts are built over neighbors: recordings between summaries come one
/// by one.
Result<Summary> SummaryFor(const Profile& profile, const Selection& selection);

/// `position` is its number where none was recorded, `strings` as ReadRankSummary's. Errors: kUsage
/// "summary/other-selection"; kInput "summary/damaged".
Result<RankSummary> ReadRank(const Summary& summary, const std::string& path, std::size_t position,
                             const Selection& selection, std::shared_ptr<StringPool> strings);

/// kInput "summary/damaged".
Error UnreadableSummary(const std::string& path);

/// Whether it is the rank that is asked for; all are for a negative number.
bool IsChosen(const RankSummary& rank, std::int64_t wanted);
/// The rank that is asked for; all for a negative one. Errors: kUsage "analysis/no-rank"; kInput
/// "summary/other-iterations".
Result<std::vector<RankSummary>> Chosen(std::vector<RankSummary> ranks, std::int64_t wanted);

/// The inputs for analyses of iterations and GPUs, without events. They point into `ranks`.
/// `ranks` must outlive the contexts.
std::vector<iterations::RankContext> ContextsOf(const std::vector<RankSummary>& ranks,
                                                const classify::Knowledge& knowledge);

}  // namespace profgauge::analysis::ranks
