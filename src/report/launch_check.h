// The certificate's check against the baseline: lost launches look like a faster run.
#pragma once

#include "gate/compare.h"
#include "model/profile_quality.h"

namespace profgauge::report {

/// Adds the check; `comparison` is null without a baseline. Nothing where no checks were made.
void AddLaunchCheck(const RunComparison* comparison, Certificate& certificate);

}  // namespace profgauge::report
