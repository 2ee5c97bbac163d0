// Memory copies and sets.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds memcpys and sets memcpy.*: sums over all ranks. Copies between GPUs count as device to
/// device.
void AddCopies(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
