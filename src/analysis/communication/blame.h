// Late ranks, the cost for the others, and the cause on that rank.
//
// Cost of a rank = Σ over the matched calls that it made late (lateness.h) of the group's
// exposed saving, had the last come with the next one; of several
// groups the one that it costs most, since one delay that passes through many groups is lost once.
// Only groups whose members are all in the run and of whose calls at least 95 % are matched are
// judged. The rank with the largest cost straggles when it causes most of the cost of all, and does
// so in many iterations (without one-off time: once.h) or, with fewer
// than three, in many calls; else late ranks change (jitter), and none is the straggler.
//
// The cause is found on that rank: between the call before and the one it was late for, its time is
// split as iterations are (time/breakdown.h) and compared with the median of the other ranks. Where
// ranks compute on in their calls, whole iterations are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge {

/// How much one rank delays the others. Times are exposed time in ns over the selected iterations.
struct RankLateness {
  Ns cost = 0;
  Ns once = 0;  ///< The one-off part of the cost.
  std::int64_t last_calls = 0;
  Ns waiting = 0, transfer = 0;  ///< Sums over its matched calls of kinds with a transfer.
  bool matched = false;          ///< Whether it has any.
  /// Part of the cost: that of the most affected group in an iteration, by its number.
  std::map<std::int64_t, Ns> by_step;
};

/// The result for the run. Without a straggler either no rank delays the others enough, or `jitter`
/// or `too_few` gives the reason.
struct Blame {
  std::vector<RankLateness> ranks;  ///< As the run's.
  std::size_t groups = 0, judged_groups = 0;
  std::optional<std::size_t> straggler;  ///< Position in the run.
  bool jitter = false;                   ///< Somebody is late all the time, but not one rank.
  bool too_few = false;                  ///< Late in too few calls or iterations to exclude chance.
  /// "waiting for input data", "the host", "copies", "a slow {{ device.device }}", "more work on
  /// the {{ device.device }}", "communication of another group"; several parts with their shares
  /// when none covers 80 % of the lateness; empty when no one straggles.
  std::string cause;
};

/// REQUIRES: `matching` is MatchFacts() of `ranks`.
Blame FindBlame(std::span<const RankFacts> ranks, const Matching& matching);

/// How much longer the kernels of each rank take than the median rank's, over those that at least
/// three ranks launch equally often with inputs of equal shapes (where all ranks recorded these): 1
/// as long. Kernels that multiply matrices and the others count as slower as far as three quarters
/// of their time is: kinds that are slower than that have more to do. Nothing where there are none.
std::vector<std::optional<double>> KernelSlowdowns(std::span<const RankFacts> ranks);

}  // namespace profgauge
