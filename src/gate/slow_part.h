// What some slow iterations do to a run whose typical iteration stays.
#pragma once

#include <optional>

#include "gate/change.h"
#include "gate/sides.h"

namespace profgauge::stats {

/// A median does not see what fewer than half of the iterations do. Where more of them are slow
/// than chance explains, or those that are slow in both became slower, and the mean is over the
/// limit by them, that is no pass: fail where it is sure, else inconclusive. Nothing where they do
/// not decide. Fills in what `slow` says of them. `noise`: standard deviation between runs.
std::optional<Change> JudgeSlowPart(const Side& base, const Side& current, const Limits& limits,
                                    const CompareOptions& options, double noise, SlowPart& slow);

/// What the warm-up that is left out of `current` hides.
SlowStart FindSlowStart(const Side& base, const Side& current, const Limits& limits,
                        const CompareOptions& options);

}  // namespace profgauge::stats
