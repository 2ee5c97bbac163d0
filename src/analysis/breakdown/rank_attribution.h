// The attribution of one rank by iteration: all data that the attribution of the run
// (run_attribution.h) needs from a rank, so that the profile is no longer needed. The run's
// iterations depend on all ranks, and a summary is made before the other ranks are known. So it
// stores the parts of all iterations of its rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/breakdown/work_sums.h"
#include "analysis/iterations/context.h"
#include "base/units.h"
#include "model/category.h"

namespace profgauge::analysis::breakdown {

/// The time in one iteration. A cell may have a count without time: an event ran in the iteration,
/// but events of a higher priority, or earlier ones of its category, took all of the time.
struct PartCell {
  std::int64_t iteration = 0;  ///< Position among the selected ones.
  std::int64_t count = 0;      ///< Events that took part only in this iteration.
  Ns time = 0;
};

/// The number of events that took part in the same several iterations: each begins in the first and
/// ends in the last. The run counts it once, whichever of these iterations belong to the run.
struct PartSpan {
  std::int64_t first = 0, last = 0;  ///< Positions, inclusive.
  std::int64_t count = 0;
};

/// A kernel, copy, call or operator that gets time: like TimePart, for one rank.
struct RankPart {
  Category category = Category::kOther;
  std::string op_type, op, shapes, kernel;
  std::int64_t position = 0;
  bool is_folded = false;       ///< Several small parts of a category and op type, without names.
  std::vector<PartCell> cells;  ///< By iteration.
  std::vector<PartSpan> spans;
};

/// Launches of an op with these shapes, rounded to a whole number per iteration.
struct LaunchingOp {
  std::string op, shapes;
  std::int64_t per_iteration = 0;
};

/// The credited time of one rank. Its size is bounded: small parts are merged (FoldSmall()).
struct AttributionFacts {
  std::vector<RankPart> parts;  ///< By category and names.
  std::vector<LaunchingOp> launching;
  bool has_shapes = false;
  /// By selected iteration: a number for the input shapes of its matmuls and convolutions, which is
  /// equal for equal shapes. Empty without shapes.
  std::vector<std::int64_t> iteration_shapes;
  RankWork work;
  std::vector<std::string> gpu_models;  ///< GPUs with work; unique and sorted.
};

/// `is_wanted`: which selected iterations need their parts; empty: all of them. Sums of work,
/// launches and shapes always cover all selected iterations. O(n log n).
AttributionFacts AttributionFactsOf(const iterations::RankContext& rank,
                                    const std::vector<bool>& is_wanted);

/// Merges the smallest parts, and drops the series of the smallest work, to bound the size: 20 000
/// cells, besides `other` and one merged part for each category and op type, and 10 000 numbers of
/// series in each list of work. Profiles of few iterations stay complete. Times and counts remain
/// exact; only names and series are lost.
void FoldSmall(AttributionFacts& facts);

}  // namespace profgauge::analysis::breakdown
