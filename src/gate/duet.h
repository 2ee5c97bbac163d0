// Compares A and B that alternate on one machine. Effects on both blocks of a pair cancel out, so
// smaller changes are found than between runs at other times.
//
// The procedure is that of sides.h. Neighboring blocks of A and B are a pair; blocks of the same
// two processes form one pair together. What remains is noise between starts. If each side has only
// one start, the noise floor represents it; a switch within one process has no such noise.
//
// The input is `duet.json` (model/duet.h), which the duet runner writes.
//
//     blocks      A1  B1  B2  A2  A3  B3           20 iterations each, warm-up of a block left out
//     pairs       `-1-'   `-2-'   `-3-'
//     difference  ln(median B1 / median A1), ln(median B2 / median A2), ...
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gate/change.h"
#include "gate/compare.h"
#include "model/duet.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// The pairs of both sides, without the warm-up of blocks.
struct DuetPairs {
  std::vector<stats::Series> a, b;  ///< Each pair has one entry in both lists.
  std::vector<double> differences;  ///< ln(B's median / A's median) of each pair.
  std::size_t blocks = 0;  ///< Number of pairs of blocks: more than pairs if starts are shared.
  double steps = 0;        ///< Mean number of iterations of a block that count.
};

/// Pairs the blocks 0 and 1, 2 and 3, … A block with fewer than three iterations after its warm-up
/// is skipped with its partner, and so is a last block without partner. Errors (kInput):
/// "duet/order" if both blocks of a pair are of one side; "duet/few-blocks" with the needed number
/// if fewer than three pairs remain.
Result<DuetPairs> PairsOf(const Duet& duet);

/// Compares as sides.h does, and adds the noise of starts that the pairs do not show: none for a
/// switch within one process, the noise floor if each side was loaded only once. REQUIRES: `pairs`
/// is of `duet`.
stats::Comparison CompareDuet(const Duet& duet, const DuetPairs& pairs,
                              const stats::CompareOptions& options);

/// Compares B with A by one metric, `step.time.median`, and by the policy's limit on the typical
/// iteration (default 5 %). Sides with different work are not comparable. Errors: as PairsOf().
Result<RunComparison> JudgeDuet(const Duet& duet, const rules::PolicyBaseline& policy);

/// How small a change a machine can detect, measured by a duet of A with A.
struct DuetPower {
  double sees = 0;    ///< The change that nine of ten such duets detect.
  double starts = 0;  ///< Standard deviation between starts, without that of the iterations.
  double drift = 0;   ///< Range from the fastest to the slowest pair.
  std::size_t pairs = 0, blocks_for_one_percent = 0;
  double steps = 0;
};
/// Measures a duet of one program with itself. `sees` is for a two-sided test at 95 % with 90 %
/// power: (1.96 + 1.28) * spread of the differences / sqrt(pairs). REQUIRES: two pairs.
DuetPower MeasureDuet(const DuetPairs& pairs);

/// "this machine sees +2.6 % in nine of ten with 10 blocks of 20 iterations; …".
std::string DuetPowerText(const DuetPower& power);

}  // namespace profgauge::gate
