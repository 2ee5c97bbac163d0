// Numbers that come out as 0 because the recording has nothing that could make them more: they are
// unknown, not 0.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Takes back copies between host and device that were not traced.
void AddUnrecorded(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
