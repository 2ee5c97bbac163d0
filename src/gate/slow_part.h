// What some slow iterations do to a run whose typical iteration stays.
#pragma once

#include <optional>

#include "gate/change.h"
#include "gate/sides.h"

namespace profgauge::stats {

/// Standard deviations between runs of one program.
struct RunNoise {
  double of_run = 0;  ///< Of one run's level,
  /// and of the change between the sides, by what the base's runs show: those of the candidates may
  /// differ by what is looked for.
  double of_change = 0;
};

/// A median does not see what fewer than half of the iterations do. Where more of them are slow
/// than chance explains, or those that are slow in both became slower, and the mean is over the
/// limit by them, that is no pass: fail where it is sure, else inconclusive. Nothing where they do
/// not decide. Fills in what `slow` says of them. What noise between runs may have made of all
/// iterations alike is no failure by some of them.
std::optional<Change> JudgeSlowPart(const Side& base, const Side& current, const Limits& limits,
                                    const CompareOptions& options, const RunNoise& noise,
                                    SlowPart& slow);

/// What the warm-up that is left out of `current` hides.
SlowStart FindSlowStart(const Side& base, const Side& current, const Limits& limits,
                        const CompareOptions& options);

}  // namespace profgauge::stats
