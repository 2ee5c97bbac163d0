// Adds the comparison with a baseline to a verdict.
//
//     limit that may fail       on_missing, on_inconclusive       verdict
//     fail                                                        fail
//     inconclusive, over        whatever                          no verdict
//     inconclusive, within      warn | pass | no_verdict          pass, warned | pass | no verdict
//     missing                   skip | no_verdict | fail          pass | no verdict | fail
//
// A verdict that already failed by a limit or finding stays a failure.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "gate/accept.h"
#include "gate/baseline_info.h"
#include "gate/compare.h"
#include "gate/verdict.h"

namespace profgauge::gate {

/// Counts every limit of the comparison in `verdict` and adds its reasons. If the runs are not
/// comparable, the limits do not apply and there is no verdict; an earlier failure stays. Misses
/// that are waived or accepted are marked and not counted.
void AddComparison(RunComparison& comparison, const rules::Policy& policy, Verdict& verdict,
                   const Acceptance& acceptance = {},
                   std::optional<std::chrono::sys_days> today = {});

/// Counts a missing baseline: as a warning while the history is learning, else as `choice` says.
/// The caller reports kFail and an unknown branch as errors. REQUIRES: IsMissing(info.state).
void AddMissingBaseline(const BaselineInfo& info, rules::OnBaselineMissing choice,
                        const rules::Policy& policy, Verdict& verdict);

// Finds creep: many small changes within the limit that add up to a change over it.

/// Also compares the candidates with `anchor`, the first runs of the level. If the result is more
/// severe than that of the last runs, it replaces the answer in `comparison` and is called creep.
/// `earlier` has the runs since the anchor that may be as slow. Exact counts are reported only by
/// the comparison with the last runs.
void HoldAgainstAnchor(std::span<const Snapshot> anchor, std::span<const Snapshot> candidates,
                       const rules::PolicyBaseline& policy, const BaselineInfo& info,
                       RunComparison& comparison, std::span<const Snapshot> earlier = {});

}  // namespace profgauge::gate
