// Recordings whose kernels did not run as the program would run them: one by one, or again.
#pragma once

#include "model/profile.h"

namespace profgauge {

/// Counts kernels in `profile.log` where nearly all long ones end before the call that launched
/// them does (CUDA_LAUNCH_BLOCKING=1, HIP_LAUNCH_BLOCKING=1), or most launches have their kernel
/// several times, one run after the other (replay for counters). How long such a kernel takes is
/// measured, when it runs is not the program's. Cost: one pass over the device's rows.
/// REQUIRES: the device's rows are linked to their calls.
void CountSerialized(Profile& profile);

}  // namespace profgauge
