// One time axis for ranks whose clocks differ: for pictures and for comparing moments of
// different ranks. Waiting between ranks is computed without it (matching.h).
//
// A matched symmetric collective ends on all its ranks together. For two ranks that share a group
// the median difference of these ends is how far their clocks are apart; groups that share ranks
// chain up to the whole run. Clocks of profiles longer than 10 s may also run at different speeds:
// then the median slope of the differences is taken out first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge::analysis::communication {

/// One offset and drift per rank. `complete()` is false if groups of ranks have no common call;
/// then no picture may align them.
struct Clocks {
  /// To the clock of the first rank: time - offset - speed * (time - from).
  struct Clock {
    double offset = 0, speed = 0, from = 0;
    /// Rounded to whole nanoseconds; times before `from` are extrapolated.
    Ns Align(Ns time) const;
  };
  std::vector<std::optional<Clock>> of_rank;  ///< Nothing for ranks that no group joins to it.
  Ns residual = 0;  ///< Median over the calls of the spread of their aligned ends.

  bool complete() const;
};

/// REQUIRES: `matching` is MatchFacts() of `ranks`.
/// The first rank's clock is the common one: its own entry changes nothing. O(calls log calls).
Clocks AlignClocks(std::span<const RankFacts> ranks, const Matching& matching);

/// Id of the remark on ranks whose matched calls were no calls of one run.
inline constexpr std::string_view kRanksApart = "ranks-apart";

/// Whether most of the matched symmetric calls cannot be one call each: on aligned clocks their
/// ends are further apart than the transfer takes, and than a millisecond. In one run they end
/// within microseconds; two runs of one program drift apart with every iteration.
bool AreApart(std::span<const RankFacts> ranks, const Matching& matching, const Clocks& clocks);

/// Median over the iterations that all ranks have of the spread of their ends. Nothing without
/// aligned clocks of at least two ranks or an iteration that all have.
std::optional<Ns> StepSkew(std::span<const RankFacts> ranks, const Clocks& clocks);

}  // namespace profgauge::analysis::communication
