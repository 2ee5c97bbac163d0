// The tables of ranks, process groups, message sizes and pipeline stages.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/clocks.h"
#include "analysis/communication/pipeline.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge::analysis::communication {

/// Appends the cells from `compute_only` to `unattributed`, common to the tables of ranks and of
/// their iterations.
template <class Writer>
Writer& AppendParts(const RankParts& parts, Writer& write) {
  return write.Integer("compute_only"_col, parts.compute_only)
      .Integer("overlapped"_col, parts.overlapped)
      .Integer("transfer_exposed"_col, parts.transfer_exposed)
      .IntegerIf("waiting_exposed"_col, parts.matched, parts.waiting_exposed)
      .Integer("copy"_col, parts.copy)
      .Integer("dataloader"_col, parts.dataloader)
      .Integer("host_time"_col, parts.host)
      .Integer("unattributed"_col, parts.unattributed);
}

/// `is_unknown`: ranks certainly communicate, but no collective was recognized.
void FillRanks(std::span<const RankFacts> ranks, std::span<const RankParts> parts,
               const Blame& blame, const Pipeline& pipeline, bool is_unknown, catalog::Output& out);
/// Each function fills the table in its name.
void FillGroups(std::span<const RankFacts> ranks, const Matching& matching, catalog::Output& out);
void FillSizes(std::span<const RankFacts> ranks, catalog::Output& out);
void FillStages(const Pipeline& pipeline, catalog::Output& out);

/// Returns a quantile in whole nanoseconds, interpolated linearly between the two nearest values.
/// `time_of` maps a value to its time. REQUIRES: sorted by time, not empty.
template <class T, class TimeOf = std::identity>
Ns QuantileOf(const std::vector<T>& values, std::size_t percent, TimeOf time_of = {}) {
  const std::size_t scaled = (values.size() - 1) * percent;
  const std::size_t below = scaled / 100;
  const Ns low = std::invoke(time_of, values[below]);
  if (below + 1 == values.size()) return low;
  const Ns step = std::invoke(time_of, values[below + 1]) - low;
  return low + step * static_cast<Ns>(scaled % 100) / 100;
}

/// The reason, in words, why there is no straggler. REQUIRES: there is none.
std::string NobodyBlamed(const Blame& blame);

// The tables of ranks by iteration: times of each rank, and their spread over ranks.

/// Adds `rank_steps` and `rank_spread` if there are at least two ranks. Iterations of ranks
/// correspond if their numbers are equal.
void FillSteps(std::span<const RankFacts> ranks, const Blame& blame, catalog::Output& out);

// Shows three ranks on one time axis, in the most costly iteration of the latest rank. The other
// two have calls with it: one waits most, the other has the median waiting.

/// Adds `rank_calls` with the first kCallsShown calls of each.
/// REQUIRES: `matching` is MatchFacts() of `ranks`; `blame` and `clocks` belong to both.
void FillRankCalls(std::span<const RankFacts> ranks, const Matching& matching, const Blame& blame,
                   const Clocks& clocks, catalog::Output& out);

/// Most calls of a rank in `rank_calls`: the page draws all of them. Outputs have own row limits.
inline constexpr std::size_t kCallsShown = 10'000;

}  // namespace profgauge::analysis::communication
