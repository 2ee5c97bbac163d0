#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "analysis/dlprof/instances.h"
#include "analysis/dlprof/report.h"
#include "base/numbers.h"

namespace profgauge::analysis::dlprof::dlprof {

/// The iterations as Compute() defines them. Errors: kUsage if the key op does not occur.
Result<std::vector<Span>> IterationsOf(const Profile& profile, const Instances& instances,
                                       const Selection& selection);
/// The host ranges of known iterations, each extended to the start of the next.
std::vector<Span> IterationsOf(const Profile& profile, const Instances& instances,
                               const iterations::Iterations& known);

}  // namespace profgauge::analysis::dlprof::dlprof
