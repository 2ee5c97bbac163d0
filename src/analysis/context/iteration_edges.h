// What a profile's edges cut off iterations, and what of their work it lost.
#pragma once

#include "analysis/context/iterations.h"

namespace profgauge {

/// Leaves out the first and last iterations, whose work the profile's edges cut, and counts those
/// inside of whose launches none has its work. `last_is_open`: nothing ends the last marker.
void DropIncomplete(const Profile& profile, ThreadId marking, bool last_is_open,
                    Iterations& iterations);

/// Sets `launches_lost` and `launches_made`, where enough is lost to matter.
void CountLostLaunches(const Profile& profile, Iterations& iterations);

}  // namespace profgauge
