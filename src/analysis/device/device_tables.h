// One row per GPU, and one per stream.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds gpus and streams, in the order of ranks, GPUs and streams.
void AddDeviceTables(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
