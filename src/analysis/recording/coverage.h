// How much of the GPU's work the analysis can place: with an operator, with a launch, in
// iterations.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// GPU time of one rank.
struct CoverageFacts {
  bool has_ops = false, has_calls = false;
  Ns total = 0;                     ///< Time of the whole profile.
  Ns in_any = 0;                    ///< Launched in any iteration.
  Ns in_window = 0;                 ///< Started while iterations run.
  Ns with_op = 0, with_launch = 0;  ///< Of `in_window`.
  Ns kernels = 0;                   ///< Of `total`: of kernels and graphs,
  Ns whole_graphs = 0;              ///< and of graphs that were recorded whole.
};
/// The times of one rank; each is a part of the whole device time.
CoverageFacts CoverageFactsOf(const RankContext& rank);

/// Sets coverage.*: shares of GPU time, over all ranks. With an operator, with a launch: of the
/// work that starts while the selected iterations run (work launched before the profile has
/// neither, and is no fault of it). Outside of the iterations: of the whole profile. Absent is
/// the share with an operator where no rank recorded operators or ranges, the share with a launch
/// where none recorded calls.
///
/// Remarks kWorkOutside if much of the work is in no iteration without launches. Only
/// iterations of the contexts are used.
void AddCoverage(std::span<const RankContext> contexts, std::span<const CoverageFacts> ranks,
                 Output& out);

}  // namespace profgauge
