// The conditions under which devices ran: clocks, power, temperature, reasons for lowered clocks.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Sets conditions.*: from the data in `profgauge.run` and `--device-log` about all ranks' devices.
/// REQUIRES: the table `roofline` and the kernel time of `out` are set.
void AddConditions(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
