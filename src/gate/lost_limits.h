// Limits that judged a run of the baseline and no longer judge this one.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/analysis.h"
#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge {

/// The value of a run of `baselines` for the metric of `limit`, where the limit applied to that run
/// but not to `analysis`: its metric is absent by now, or its `when` is no longer true
/// though the number is beyond the limit and was not before. Such a limit must not fall silent,
/// whatever `on_missing` says: kernels under new names would pass a gate on Tensor Cores.
/// Nothing where no run of the baseline was judged by it, or by another definition of the metric.
/// REQUIRES: `limit` did not apply to `analysis`, or its metric is absent.
std::optional<std::string> WhyLost(const Threshold& limit, const Analysis& analysis,
                                   std::span<const Snapshot> baselines);

}  // namespace profgauge
