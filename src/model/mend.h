// Steps of ProfileBuilder::Finish(): they repair known misstatements of a profile and count
// unusable events in its import log. Separately they leave a profile incomplete.
#pragma once

#include "model/profile.h"

namespace profgauge::mend {

/// A process that sees one GPU of several (HIP_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES) lists it by
/// the number that it has for the process; a profiler may write the machine's number to the events.
/// One listed and one used are the same one.
void JoinTheOneDevice(Profile& profile);

/// ROCm's runtime copies and sets memory with its own kernels where a copy engine would be
/// slower. Those are copies and sets, unless the profile has the copies that their calls made as
/// well.
/// REQUIRES: device work is linked to its calls.
void TellRuntimeKernels(Profile& profile);

/// Kernels take time: kernels without a length had unusable times, if such
/// times were found. A few are a glitch of a clock; many make every sum a lower bound. If times are
/// whole microseconds, short kernels are rounded to length zero.
void CheckLengths(Profile& profile);
/// Only its name shows the kind of a kernel: "no kernel communicates" is no finding if
/// the names of a process are missing.
void CheckNames(Profile& profile);
/// A few events that make no sense are a glitch; many are a hole in the file.
void CheckEvents(Profile& profile);

}  // namespace profgauge::mend
