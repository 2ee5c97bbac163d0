// A and B alternating on one machine: common effects on both blocks of a pair drop out of their
// difference, so a smaller change is found than between runs at other times.
//
// Judged as sides.h judges runs: neighboring blocks of A and B are a pair, those of the same two
// processes one pair together. The rest is the noise of starts: where all blocks are of one
// start of each side, the noise floor represents it, and a switch inside one process has none.
//
// The comparison of `duet.json` (model/duet.h), which the duet runner writes.
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

/// One side beside the other, warm-up of blocks left out.
struct DuetPairs {
  std::vector<stats::Series> a, b;  ///< As many of each.
  std::vector<double> differences;  ///< ln of B's median by A's, one each.
  std::size_t blocks = 0;           ///< Pairs of blocks: more, where starts are shared.
  double steps = 0;                 ///< Iterations of a block that count, on average.
};

/// Pairs the blocks 0 and 1, 2 and 3, ...; blocks with fewer than three iterations after the
/// warm-up are left out with their partner, and an odd last block is left out. Errors (kInput):
/// "duet/order" where a pair has two blocks of one side; "duet/few-blocks" with the needed number
/// where fewer than three pairs are left.
Result<DuetPairs> PairsOf(const Duet& duet);

/// By the procedure of sides.h, with the noise of starts that the pairs do not show: none for a
/// switch within one process, the noise floor where both sides were loaded once.
/// REQUIRES: `pairs` is of `duet`.
stats::Comparison CompareDuet(const Duet& duet, const DuetPairs& pairs,
                              const stats::CompareOptions& options);

/// B against A as a comparison with one metric, `step.time.median`, by the policy's limit on the
/// typical iteration (default 5 %). Sides whose work differs are not comparable. Errors: PairsOf().
Result<RunComparison> JudgeDuet(const Duet& duet, const rules::PolicyBaseline& policy);

/// The result of A against A for a machine.
struct DuetPower {
  double sees = 0;    ///< The change that nine of ten such duets find.
  double starts = 0;  ///< Standard deviation between starts, without that of the iterations.
  double drift = 0;   ///< From the fastest to the slowest pair.
  std::size_t pairs = 0, blocks_for_one_percent = 0;
  double steps = 0;
};
/// For a duet of one program with itself. `sees` is by a two-sided test at 95 % with
/// 90 % power: (1.96 + 1.28) * spread of the differences / sqrt(pairs). REQUIRES: two pairs.
DuetPower MeasureDuet(const DuetPairs& pairs);

/// "this machine sees +2.6 % in nine of ten with 10 blocks of 20 iterations; …"
std::string DuetPowerText(const DuetPower& power);

}  // namespace profgauge::gate
