#include "exports/selected.h"

#include <string>
#include <utility>

#include "base/errors.h"

namespace profgauge::exports {
namespace {

bool SelectsIterations(const analysis::Selection& selection) {
  return selection.start >= 0 || selection.stop >= 0 || selection.start_number ||
         selection.stop_number || selection.warmup > 0 || selection.range;
}

}  // namespace

Result<std::vector<SelectedRank>> SelectRanks(std::span<const Profile> ranks,
                                              const analysis::Selection& selection) {
  std::vector<analysis::iterations::Iterations> iterations;
  if (SelectsIterations(selection)) {
    PROFGAUGE_TRY(iterations, analysis::iterations::FindIterations(ranks, selection));
  }
  std::vector<SelectedRank> selected;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t recorded = ranks[i].distributed.rank;
    const std::int64_t rank = recorded >= 0 ? recorded : static_cast<std::int64_t>(i);
    if (selection.rank >= 0 && rank != selection.rank) continue;
    SelectedRank& one = selected.emplace_back(ranks[i]);
    if (!iterations.empty()) one.iterations = std::move(iterations[i]);
  }
  if (!selected.empty()) return selected;
  return Fail(UsageError("analysis/no-rank",
                         "the run has no rank " + std::to_string(selection.rank),
                         "`profgauge inspect` lists the ranks of a run"));
}

}  // namespace profgauge::exports
