// Why the mean iteration time changed: a waterfall from breakdown categories down to kernels, each
// step split into "more or fewer of them" and "each takes longer or shorter".
//
//     category      other_kernel +2.0 ms                 dataloader +0.5 ms
//     op_type         matmul +1.5   elementwise +0.5       ...
//     op              aten::mm [[64, 1024], ...] +1.5
//     kernel          new_gemm ← old_gemm +1.5     = more of them +0.0, longer +1.5
//
// Everything is per iteration and in integer nanoseconds. At every level the deltas sum exactly to
// their parents', and at the top to current - base: fractions are rounded by largest remainder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gate/part_kind.h"
#include "gate/snapshot.h"

namespace profgauge::gate {

/// One step of the waterfall. Steps of a level follow each other by parent, largest |delta| first.
struct WaterfallStep {
  PartLevel level = PartLevel::kCategory;
  std::string name;          ///< "new ← old" for a renamed kernel.
  std::int32_t parent = -1;  ///< Index of the step it is a part of; -1 at the top.
  PartChange change = PartChange::kChanged;
  Ns base = 0, current = 0;  ///< Per iteration, rounded to the nearest ns: for display only.
  Ns delta = 0;              ///< count_effect + duration_effect.
  Ns count_effect = 0;       ///< Change of count times the old mean duration.
  Ns duration_effect = 0;    ///< New count times the change of mean duration.
  double base_count = 0, current_count = 0;  ///< Per iteration.
  double p_value = -1;       ///< For the per-iteration series; -1 when there is none.
  bool significant = false;  ///< gate/significance.h; only of kernels.
};

/// The steps from one iteration time to another. The steps of a level sum exactly to `delta`.
struct Waterfall {
  Ns base = 0, current = 0;          ///< Mean iteration time.
  Ns delta = 0;                      ///< current - base.
  std::vector<WaterfallStep> steps;  ///< Categories first, then the levels below.
};

/// Explains the change between two runs. A kernel that is gone and one that is new are matched as
/// renamed when they are at the same place: same op, shapes and position among the op's kernels.
/// Cost: O(parts log parts).
/// REQUIRES: both runs have at least one iteration.
Waterfall Explain(const Snapshot& base, const Snapshot& current);

}  // namespace profgauge::gate
