// Inputs whose size shows only in copies to the device.
#pragma once

#include <vector>

#include "analysis/context/context.h"
#include "base/units.h"

namespace profgauge {

/// For each selected iteration, in their order: how long its computing kernels run, on the GPU
/// where that is longest. 0 everywhere unless that time follows how many bytes are copied to the
/// devices in the iteration, or (batches that are copied ahead) in the one before it, and over a
/// quarter of the iterations copy more or less than the others do.
std::vector<Ns> WorkOnCopiedInputs(const RankContext& rank);

}  // namespace profgauge
