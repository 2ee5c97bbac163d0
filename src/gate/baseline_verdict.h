// The part of a verdict from the comparison with a baseline.
//
//     limit that may fail       on_missing, on_inconclusive       verdict
//     fail                                                        fail
//     inconclusive, over        whatever                          no verdict
//     inconclusive, within      warn | pass | no_verdict          pass, warned | pass | no verdict
//     missing                   skip | no_verdict | fail          pass | no verdict | fail
//
// A verdict that has failed by a limit or finding stays a failure.
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

/// Counts every limit of the comparison in `verdict` and gives its reasons. Where the comparison is
/// not judged (runs that are not comparable), its limits do not apply and there is no verdict; a
/// earlier failure is kept. Misses that are waived, or accepted, are marked and do not count.
void AddComparison(RunComparison& comparison, const rules::Policy& policy, Verdict& verdict,
                   const Acceptance& acceptance = {},
                   std::optional<std::chrono::sys_days> today = {});

/// Counts that a baseline was asked for and there is none: in the days of learning as a warning
/// that fails nothing, else as `choice` says. kFail, and an unknown branch, are errors that the
/// caller reports. REQUIRES: IsMissing(info.state).
void AddMissingBaseline(const BaselineInfo& info, rules::OnBaselineMissing choice,
                        const rules::Policy& policy, Verdict& verdict);

// Creep: many small changes, each within the limit, that add up to one beyond it.

/// Compares the candidates also with `anchor`, the first runs of the level that they should keep.
/// If that is more severe than the comparison with the last runs, it replaces the answer in
/// `comparison`, and names it creep. `earlier` are runs since then, which may be as slow. Exact
/// counts are reported once, by the last runs.
void HoldAgainstAnchor(std::span<const Snapshot> anchor, std::span<const Snapshot> candidates,
                       const rules::PolicyBaseline& policy, const BaselineInfo& info,
                       RunComparison& comparison, std::span<const Snapshot> earlier = {});

}  // namespace profgauge::gate
