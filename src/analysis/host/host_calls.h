// Runtime and driver calls on the host.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds api_calls (by name, longest first, all ranks together) and sets sync.time_share.
void AddHostCalls(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
