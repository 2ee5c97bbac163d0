// The tables of ranks, process groups, sizes of messages and stages of a pipeline.
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

/// The cells from `compute_only` to `unattributed`, which tables of ranks and of their iterations
/// share.
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

/// `is_unknown`: there must be communication, and none was recognized.
void FillRanks(std::span<const RankFacts> ranks, std::span<const RankParts> parts,
               const Blame& blame, const Pipeline& pipeline, bool is_unknown, catalog::Output& out);
/// Each function fills the table that its name states.
void FillGroups(std::span<const RankFacts> ranks, const Matching& matching, catalog::Output& out);
void FillSizes(std::span<const RankFacts> ranks, catalog::Output& out);
void FillStages(const Pipeline& pipeline, catalog::Output& out);

/// Linear between the two nearest, in whole nanoseconds. `time_of` gives a value's time.
/// REQUIRES: sorted by it, not empty.
template <class T, class TimeOf = std::identity>
Ns QuantileOf(const std::vector<T>& values, std::size_t percent, TimeOf time_of = {}) {
  const std::size_t scaled = (values.size() - 1) * percent;
  const std::size_t below = scaled / 100;
  const Ns low = std::invoke(time_of, values[below]);
  if (below + 1 == values.size()) return low;
  const Ns step = std::invoke(time_of, values[below + 1]) - low;
  return low + step * static_cast<Ns>(scaled % 100) / 100;
}

/// Why no rank straggles, in words. REQUIRES: none does.
std::string NobodyBlamed(const Blame& blame);

// The tables of ranks by iteration: each rank's times in each, and their spread over ranks.

/// Adds `rank_steps` and `rank_spread`, of two ranks or more. Iterations of ranks are the same
/// where their numbers are.
void FillSteps(std::span<const RankFacts> ranks, const Blame& blame, catalog::Output& out);

// The ranks that matter on one time axis: the latest rank, and of those that it meets in the
// iteration in which it costs them most, the one that waits as the median and the one that waits
// most, which came first.

/// Adds `rank_calls`, of the first kCallsShown calls of each.
/// REQUIRES: `matching` is MatchFacts() of `ranks`, `blame` and `clocks` are of both.
void FillRankCalls(std::span<const RankFacts> ranks, const Matching& matching, const Blame& blame,
                   const Clocks& clocks, catalog::Output& out);

/// The strip of the page draws how long each of them waits; outputs have their own limits of rows.
inline constexpr std::size_t kCallsShown = 10'000;

}  // namespace profgauge::analysis::communication
