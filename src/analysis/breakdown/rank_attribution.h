// The attribution of one rank's iterations, iteration by iteration: everything that the attribution
// of the run (run_attribution.h) needs from a rank, so that it can be kept without the profile. The
// iterations of the run follow from all ranks together, so a summary, which is made before the
// others are known, keeps the parts of all of its rank's iterations.
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

/// The time in one iteration. A cell may have a count and no time: the thing ran in the iteration,
/// and things of a higher priority, or earlier ones of its category, took all of its time.
struct PartCell {
  std::int64_t iteration = 0;  ///< Position among the selected ones.
  std::int64_t count = 0;      ///< How many took part only in this one.
  Ns time = 0;
};

/// How many took part in several iterations, each time the same: an event that begins in the first
/// and ends in the last. It is counted once for the run, however many of these iterations count.
struct PartSpan {
  std::int64_t first = 0, last = 0;  ///< Positions, inclusive.
  std::int64_t count = 0;
};

/// A thing that time is credited to: like TimePart, for one rank.
struct RankPart {
  Category category = Category::kOther;
  std::string op_type, op, shapes, kernel;
  std::int64_t position = 0;
  bool is_folded = false;  ///< Several small ones of a category and op type, without other names.
  std::vector<PartCell> cells;  ///< By iteration.
  std::vector<PartSpan> spans;
};

/// Launches of an op with these shapes, rounded to whole ones per iteration.
struct LaunchingOp {
  std::string op, shapes;
  std::int64_t per_iteration = 0;
};

/// The credited time of one rank. It is bounded: small parts are folded (FoldSmall()).
struct AttributionFacts {
  std::vector<RankPart> parts;  ///< By category and names.
  std::vector<LaunchingOp> launching;
  bool has_shapes = false;
  /// For each selected iteration: the input shapes of its matmuls and convolutions, as a number
  /// that is equal for equal shapes. Empty where none has shapes.
  std::vector<std::int64_t> iteration_shapes;
  RankWork work;
  std::vector<std::string> gpu_models;  ///< Models of the GPUs that worked; each once, in order.
};

/// `is_wanted`: of the selected iterations those whose parts are asked for; empty: of all. Work
/// sums, launches and shapes cover all selected iterations in either case. O(n log n).
AttributionFacts AttributionFactsOf(const iterations::RankContext& rank,
                                    const std::vector<bool>& is_wanted);

/// Folds the smallest parts, and drops the series of the smallest work, until the rest has bounded
/// size: 20 000 cells, besides `other` and one folded part for each category and op type, and
/// 10 000 numbers of series in each list of work. Profiles of few iterations lose nothing.
/// Times and counts stay exact: only names and series are lost.
void FoldSmall(AttributionFacts& facts);

}  // namespace profgauge::analysis::breakdown
