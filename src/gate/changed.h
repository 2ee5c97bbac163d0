// Differences of a run beside its speed, in one line.
#pragma once

#include <string>

#include "gate/compare.h"

namespace profgauge {

/// "changed: +2 kernels per iteration (new: fused_x), input shapes, driver 550.54 → 560.35"; empty
/// where nothing did.
std::string ChangedLine(const RunComparison& comparison);

}  // namespace profgauge
