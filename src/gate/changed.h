// Lists in one line the differences of a run other than its speed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "gate/by_chance.h"
#include "gate/change.h"
#include "gate/compare.h"

namespace profgauge::gate {

/// One line: "changed: +2 kernels per iteration (new: fused_x), input shapes, driver 550.54 →
/// 560.35"; empty if nothing changed.
std::string ChangedLine(const RunComparison& comparison);

}  // namespace profgauge::gate
