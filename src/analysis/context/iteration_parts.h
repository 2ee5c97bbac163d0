// The steps in which iterations are made of markers: which device work is of which, from when to
// when that makes each last (iteration_work.cc), what the profile's edges cut off, and what of
// their work it lost (iteration_edges.cc).
#pragma once

#include <optional>
#include <vector>

#include "analysis/context/iterations.h"

namespace profgauge {

/// Work with no pause longer than this belongs together: what a device's queue holds, or what a
/// host does (between operators Python takes some 10 to 200 us).
inline constexpr Ns kPause = 1'000'000;
/// What waits for other work begins at most this long behind it.
inline constexpr Ns kRightBehind = 20'000;
/// From a launch to its work where nothing holds that up.
inline constexpr Ns kFreeLaunch = 30'000;

/// The device events of each iteration, and how far they reach.
struct DeviceReach {
  std::vector<std::optional<Span>> of_iteration;
  bool any = false;
};

/// By thread: whether what it launches can be of iterations that `marking` marks. Another process
/// that works on other GPUs alone has its own course.
std::vector<bool> ThreadsOfIterations(const Profile& profile, ThreadId marking);

/// Fills `of_device`, `behind` and each iteration's `device_events` from recorded launches.
DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking, Iterations& iterations);

/// Fills each iteration's `time` and `lead_in`, by the rule that iterations.h states.
void SetTimes(const Profile& profile, const DeviceReach& reach, Iterations& iterations);

/// Work whose launch was not recorded belongs to the iteration in which it starts.
void MatchByStart(const Profile& profile, ThreadId marking, Iterations& iterations);

/// Leaves out the first and last iterations, whose work the profile's edges cut, and counts those
/// inside of whose launches none has its work. `last_is_open`: nothing ends the last marker.
void DropIncomplete(const Profile& profile, ThreadId marking, bool last_is_open,
                    Iterations& iterations);

/// Sets `launches_lost` and `launches_made`, where enough is lost to matter.
void CountLostLaunches(const Profile& profile, Iterations& iterations);

}  // namespace profgauge
