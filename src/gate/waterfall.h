// Explains why the mean iteration time changed: a waterfall from breakdown categories to kernels.
// Each part is split into a change of its number and a change of its duration.
//
//     category      other_kernel +2.0 ms                 dataloader +0.5 ms
//     op_type         matmul +1.5   elementwise +0.5       ...
//     op              aten::mm [[64, 1024], ...] +1.5
//     kernel          new_gemm ← old_gemm +1.5     = more of them +0.0, longer +1.5
//
// All values are per iteration, in integer nanoseconds. The deltas of a level sum exactly to those
// of their parents, and at the top to current - base: fractions are rounded by largest remainder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gate/part_kind.h"
#include "gate/snapshot.h"

namespace profgauge::gate {

/// One part of the waterfall. Parts of a level are grouped by parent, largest |delta| first.
struct WaterfallStep {
  PartLevel level = PartLevel::kCategory;
  std::string name;          ///< "new ← old" for a renamed kernel.
  std::int32_t parent = -1;  ///< Index of its parent; -1 at the top.
  PartChange change = PartChange::kChanged;
  Ns base = 0, current = 0;  ///< Per iteration, rounded to the nearest ns: for display only.
  Ns delta = 0;              ///< count_effect + duration_effect.
  Ns count_effect = 0;       ///< Change of count times the old mean duration.
  Ns duration_effect = 0;    ///< New count times the change of mean duration.
  double base_count = 0, current_count = 0;  ///< Per iteration.
  double p_value = -1;                       ///< For the series by iteration; -1 if there is none.
  bool significant = false;                  ///< gate/significance.h; only for kernels.
};

/// The parts of the change between two iteration times. Each level sums exactly to `delta`.
struct Waterfall {
  Ns base = 0, current = 0;          ///< Mean iteration time.
  Ns delta = 0;                      ///< current - base.
  std::vector<WaterfallStep> steps;  ///< Categories first, then the levels below.
};

/// Explains the change between two runs. A vanished and a new kernel are one renamed kernel if they
/// are in the same place (operator, shapes and position among the operator's kernels). Cost:
/// O(parts log parts). REQUIRES: both runs have at least one iteration.
Waterfall Explain(const Snapshot& base, const Snapshot& current);

}  // namespace profgauge::gate
