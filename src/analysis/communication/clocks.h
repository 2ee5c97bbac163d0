// A common time axis for ranks whose clocks differ, for pictures and for comparing times of
// different ranks. Waiting between ranks does not need it (matching.h).
//
// A matched symmetric collective ends on all its ranks together. For two ranks of one group, the
// median difference of these ends is the offset of their clocks; groups that share ranks connect
// the whole run. In profiles longer than 10 s, clocks may also run at different speeds: then the
// median slope of the differences is removed first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"

namespace profgauge::analysis::communication {

/// One offset and drift per rank. `complete()` is false if no chain of common calls connects all
/// ranks; pictures then must not align them.
struct Clocks {
  /// Converts to the clock of the first rank: time - offset - speed * (time - from).
  struct Clock {
    double offset = 0, speed = 0, from = 0;
    /// Rounded to whole nanoseconds; also extrapolates to times before `from`.
    Ns Align(Ns time) const;
  };
  std::vector<std::optional<Clock>> of_rank;  ///< None for ranks that no group connects.
  Ns residual = 0;                            ///< Spread of aligned ends; median over calls.

  bool complete() const;
};

/// The first rank's clock is the common one. O(calls log calls).
/// REQUIRES: `matching` is MatchFacts() of `ranks`.
Clocks AlignClocks(std::span<const RankFacts> ranks, const Matching& matching);

/// Id of the remark on ranks whose profiles seem to be of different runs.
inline constexpr std::string_view kRanksApart = "ranks-apart";

/// True if most matched symmetric calls cannot be single calls: on aligned clocks their ends are
/// further apart than the transfer time and a millisecond. In one run they end within microseconds;
/// two runs of one program drift apart with every iteration.
bool AreApart(std::span<const RankFacts> ranks, const Matching& matching, const Clocks& clocks);

/// Returns how far apart ranks end an iteration: the spread of the ends over all ranks, median over
/// iterations. None without aligned clocks of at least two ranks and a common iteration.
std::optional<Ns> StepSkew(std::span<const RankFacts> ranks, const Clocks& clocks);

}  // namespace profgauge::analysis::communication
