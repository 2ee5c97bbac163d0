// Steps of ProfileBuilder::Finish(): what a profile says otherwise than it means is repaired, and
// what makes no sense is counted in its import log. On their own they leave a profile half done.
#pragma once

#include "model/profile.h"

namespace profgauge::mend {

/// A process that sees one GPU of several (HIP_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES) lists it by
/// the number that it has for the process; a profiler may write the machine's number to the events.
/// One listed and one used are the same one.
void JoinTheOneDevice(Profile& profile);

/// ROCm's runtime copies and sets memory with kernels of its own where a copy engine would be
/// slower. Those are copies and sets, unless the profile has the copies that their calls made as
/// well.
/// REQUIRES: device work is linked to its calls.
void TellRuntimeKernels(Profile& profile);

/// Kernels take time: those of no length are the ones whose times made no sense, as far as such
/// times were met. A few are a glitch of a clock; many make every sum a lower bound. Of times in
/// whole microseconds short kernels are rounded to none.
void CheckLengths(Profile& profile);
/// What a kernel is, its name tells alone: that none communicates is no finding where those of a
/// process have none.
void CheckNames(Profile& profile);
/// A few events that make no sense are a glitch; many are a hole in the file.
void CheckEvents(Profile& profile);

}  // namespace profgauge::mend
