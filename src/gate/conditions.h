// Clocks of the devices of two runs, in a sentence: what a slower card explains is no slower
// program.
#pragma once

#include <span>
#include <string>

#include "gate/snapshot.h"

namespace profgauge {

/// "the devices ran at 1200 MHz instead of 1980 MHz (`sw_power_cap` for 63 % of the time), which
/// explains at most +65 %"; empty where a side does not know its clocks, or they are alike.
std::string ConditionsText(std::span<const Snapshot> baselines,
                           std::span<const Snapshot> candidates);

}  // namespace profgauge
