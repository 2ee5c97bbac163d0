// Kernels that change from iteration to iteration, with the size or the kind of inputs.
#pragma once

#include <vector>

#include "analysis/context/context.h"
#include "base/units.h"

namespace profgauge {

/// For each selected iteration, in their order: how long its kernels run, on the GPU where that is
/// longest, that iterations do not launch alike: of kinds (name, launch configuration, shapes of
/// inputs where recorded) that over a quarter of the iterations launch more or less often than the
/// others do. Collectives do not count. Where no device works: operators whose shapes are known.
/// Where at least three quarters of the iterations launch the same, the others are exceptions, and
/// changes with the inputs show only in copies: WorkOnCopiedInputs().
std::vector<Ns> ChangingWork(const RankContext& rank);

}  // namespace profgauge
